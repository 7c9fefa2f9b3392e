"""Type checkers of users: an installed wheel has types, and they accept the documentation's examples."""

from __future__ import annotations

import shutil
import site
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.test_docs import EXAMPLES, ROOT
from tests.test_packaging import build, only

OTHERS = {
    "learn_to_drive.py",  # needs a package that tests do not install
    "paper_figures.py",  # matplotlib asks for tuples where it takes arrays
}
ANSWERS = """
from typing_extensions import assert_type
import numpy as np
import xarray as xr
from numpy.typing import NDArray
import ce_dynamics as ce
from ce_dynamics.models import hmmwv

model = ce.compile(hmmwv.build())
assert_type(model, ce.Model)
assert_type(ce.simulate(model, duration=1.0), xr.Dataset)
assert_type(ce.Simulator(model).step(0.1), NDArray[np.float64])
"""
WRONG = "import ce_dynamics as ce\nce.compile(3)\nce.System().add_bdy()\n"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with the wheel, and with what is installed here."""
    folder = tmp_path_factory.mktemp("typing")
    venv.create(folder / "env", with_pip=False)
    packages = only(folder / "env" / "lib", "python*") / "site-packages"
    with zipfile.ZipFile(only(build("--wheel", source=ROOT, out=folder / "wheel"), "*.whl")) as wheel:
        wheel.extractall(packages)
    (packages / "others.pth").write_text("\n".join(site.getsitepackages()))
    return folder / "env" / "bin" / "python"


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with examples, a program whose answers have types, and one with two errors."""
    folder = tmp_path_factory.mktemp("examples")
    for path in EXAMPLES:
        if path.name not in OTHERS:
            shutil.copy(path, folder)
    (folder / "answers.py").write_text(ANSWERS)
    (folder / "wrong.py").write_text(WRONG)
    return folder


def errors(command: list[str], folder: Path) -> list[str]:
    """Return lines with errors that a type checker prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [line for line in done.stdout.splitlines() if "error" in line and ".py:" in line]


def check(command: list[str], folder: Path) -> None:
    """Compare with the errors that there must be: two in one file."""
    found = errors(command, folder)
    assert [line for line in found if "wrong.py" not in line] == []
    assert len(found) == 2


@pytest.mark.slow
def test_mypy_accepts_examples(python: Path, examples: Path) -> None:
    options = ["--config-file=", "--ignore-missing-imports", "--allow-redefinition", "--local-partial-types"]
    check([sys.executable, "-m", "mypy", *options, "--python-executable", str(python), "."], examples)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pyright") is None, reason="there is no pyright: npm install -g pyright")
def test_pyright_accepts_examples(python: Path, examples: Path) -> None:
    check(["pyright", "--pythonpath", str(python), "."], examples)
