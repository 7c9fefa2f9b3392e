"""Modules that are loaded late: not by a run, whole when something of them is used."""

import subprocess
import sys

BEGIN = """
import sys
from ce_dynamics.cli.late_modules import LATE, load_late
load_late()
from scipy.integrate import solve_ivp
def loaded():
    return sorted(name for name in LATE if type(sys.modules.get(name)).__name__ == "module")
"""


def output_of(code: str) -> str:
    """By a process of its own."""
    done = subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, check=True)
    return done.stdout


def test_no_method_of_scipy_asks_for_them() -> None:
    code = """
for method in ("RK45", "RK23", "DOP853", "LSODA", "Radau", "BDF"):
    assert abs(solve_ivp(lambda t, y: -y, (0, 1), [1.0], method=method, rtol=1e-6).y[0, -1] - 0.36788) < 1e-4
print(loaded())
"""
    assert output_of(code) == "[]\n"


def test_a_picture_asks_for_masked_arrays_alone() -> None:
    code = """
from io import BytesIO
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
page = FigureCanvasAgg(Figure())
page.figure.add_subplot(title="title").plot([1.0, 2.0], label="label")
page.figure.legend()
page.print_png(BytesIO())
print(loaded())
"""
    assert output_of(code) == "['numpy.ma']\n"


def test_they_are_there_when_they_are_used() -> None:
    code = """
import numpy as np
from scipy import spatial
print(np.ma.masked_greater([1, 2, 3], 2).sum(), np.f2py.get_include() != "", loaded())
np.testing.assert_equal(spatial.KDTree([[0.0, 0.0], [1.0, 0.0]]).query([0.9, 0.0])[1], 1)
from numpy.ma import masked_array
import scipy.spatial.distance
print(masked_array([1]).count(), scipy.spatial.distance.euclidean([0, 0], [3, 4]), loaded())
"""
    used = "'numpy.f2py', 'numpy.ma'"
    assert output_of(code) == f"3 True [{used}]\n1 5.0 [{used}, 'numpy.testing', 'scipy.spatial']\n"


def test_threads_find_them_whole() -> None:
    """Eight that ask at the same moment; one of them executes the module, which takes 50 ms."""
    code = """
import threading
import numpy as np
together, wrong = threading.Barrier(8), []
def ask(k):
    together.wait()
    try:
        assert np.ma.masked_array([1.0, 2.0]).sum() == 3.0 if k % 2 else np.ma.core.MaskedArray
    except Exception as error:
        wrong.append(error)
threads = [threading.Thread(target=ask, args=(k,)) for k in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong, loaded())
"""
    assert output_of(code) == "[] ['numpy.ma']\n"


def test_failing_imports_raise_every_time() -> None:
    code = """
import numpy.testing
def fail(module):
    raise ImportError("no such file any more")
numpy.testing.__spec__.loader.exec_module = fail
for _ in range(2):
    try:
        numpy.testing.assert_equal
    except ImportError as error:
        print(error)
"""
    assert output_of(code) == 2 * "no such file any more\n"
