"""Installed files: one top-level name, every module and data file once, importable on its own."""

import email.message
import email.parser
import importlib.metadata
import json
import os
import re
import shutil
import site
import stat
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

import ce_dynamics

if TYPE_CHECKING:  # answers have types, and wrong calls are errors: what no error ignores is one itself
    import numpy as np
    import xarray as xr
    from numpy.typing import NDArray
    from typing_extensions import assert_type

    import ce_dynamics as ce
    from ce_dynamics.models import hmmwv

    model = ce.compile(hmmwv.build())
    assert_type(model, ce.Model)
    assert_type(ce.simulate(model, duration=1.0), xr.Dataset)
    assert_type(ce.Simulator(model).step(0.1), NDArray[np.float64])
    ce.compile(3)  # type: ignore[arg-type]  # a number is no system
    ce.System().add_bdy()  # type: ignore[attr-defined]  # it is misspelt

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    "ce_dynamics": "ce_dynamics",
    "kinematics": "ce_dynamics/kinematics",
    "models": "ce_dynamics/models",
}
OUTSIDE = [name for name, target in FOLDERS.items() if name != target]


class Archives(NamedTuple):
    sdist: Path
    from_sdist: Path
    from_tree: Path


def build(*options: str, source: Path, out: Path) -> Path:
    command = [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    """Both ways to a wheel, from a copy of the checkout that no earlier build has touched."""
    scratch = tmp_path_factory.mktemp("packaging")
    tree = scratch / "tree"
    leftovers = shutil.ignore_patterns(
        "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".git", ".venv"
    )
    shutil.copytree(ROOT, tree, ignore=leftovers)
    released = build(source=tree, out=scratch / "released")
    direct = build("--wheel", source=tree, out=scratch / "direct")
    return Archives(only(released, "*.tar.gz"), only(released, "*.whl"), only(direct, "*.whl"))


@pytest.fixture(scope="module", params=["from_sdist", "from_tree"])
def wheel(request: pytest.FixtureRequest, archives: Archives) -> Path:
    path = getattr(archives, request.param)
    assert isinstance(path, Path)
    return path


def shipped_files() -> set[str]:
    """Return every file below the three folders under the name it is to be installed as."""
    files = set()
    for folder, installed in FOLDERS.items():
        for where, _, names in os.walk(ROOT / folder):
            inside = Path(where).relative_to(ROOT / folder)
            if "__pycache__" not in inside.parts:
                files |= {
                    (installed / inside / name).as_posix() for name in names if not name.endswith(".pyc")
                }
    return files


def members(wheel: Path) -> dict[str, bytes]:
    """Contents of a wheel by name, without its metadata folder."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        assert len(names) == len(set(names))
        return {name: archive.read(name) for name in names}


def metadata(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (member,) = (entry for entry in archive.namelist() if entry.endswith(f".dist-info/{name}"))
        return archive.read(member).decode()


def core_metadata(wheel: Path) -> email.message.Message:
    return email.parser.Parser().parsestr(metadata(wheel, "METADATA"))


def run_isolated(code: str, where: Path) -> Any:
    """Result of a program that sees neither the checkout nor PYTHONPATH, printed by it as JSON."""
    command = [sys.executable, "-I", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=where, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ce_dynamics_is_the_only_top_level_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        top = {name.split("/")[0] for name in archive.namelist()}
    assert top == {"ce_dynamics", f"ce_dynamics-{ce_dynamics.__version__}.dist-info"}
    assert metadata(wheel, "top_level.txt").split() == ["ce_dynamics"]


def test_wheel_has_exactly_every_module_and_data_file(wheel: Path) -> None:
    expected = shipped_files()
    assert {"ce_dynamics/py.typed", "ce_dynamics/kinematics/__init__.py"} <= expected
    found = set(members(wheel))
    missing, surplus = sorted(expected - found), sorted(found - expected)
    assert not missing, f"list their packages or patterns in pyproject.toml: {missing}"
    assert not surplus


def test_wheel_holds_files_not_links(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        links = [entry.filename for entry in archive.infolist() if stat.S_ISLNK(entry.external_attr >> 16)]
    assert links == []


def test_wheels_from_sdist_and_from_tree_are_equal(archives: Archives) -> None:
    assert members(archives.from_sdist) == members(archives.from_tree)


def test_sdist_is_complete_without_repeats(archives: Archives) -> None:
    with tarfile.open(archives.sdist) as archive:
        entries = archive.getmembers()
    names = [entry.name.split("/", 1)[1] for entry in entries if entry.isfile()]
    assert len(names) == len(set(names))
    assert not any(entry.issym() or entry.islnk() for entry in entries)
    assert {"LICENSE", "README.md", "CONTRIBUTING.md", "docs/notation.md", "tests/conftest.py"} <= set(names)


def test_metadata(wheel: Path) -> None:
    core = core_metadata(wheel)
    assert core["Name"] == "ce-dynamics"
    assert core["Version"] == ce_dynamics.__version__
    assert core["Requires-Python"] == ">=3.10"
    assert core["License-Expression"] == "BSD-3-Clause"
    assert set(core.get_all("Provides-Extra", [])) == {
        "bench", "casadi", "dae", "dask", "docs", "fmi", "gltf", "gym", "mutation", "plots", "rerun", "roads",
        "robots", "tables", "test", "widget",
    }  # fmt: skip


def requirements(lines: list[str]) -> set[str]:
    return {line.replace(" ", "").lower() for line in lines}


def test_conda_recipe_requires_what_the_wheel_requires(wheel: Path) -> None:
    core = core_metadata(wheel)
    wanted = requirements([one for one in core.get_all("Requires-Dist", []) if "extra" not in one])
    recipe = yaml.safe_load((ROOT / ".ci" / "conda" / "recipe.yaml").read_text())
    assert recipe["context"]["version"] == ce_dynamics.__version__
    assert f"\nversion: {ce_dynamics.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    python, *run = recipe["requirements"]["run"]
    assert requirements(run) == wanted
    assert python == "python >=${{ python_min }}"
    assert f">={recipe['context']['python_min']}" == core["Requires-Python"]


def test_paper_cites_entries_and_shows_figures_that_exist() -> None:
    folder = ROOT / ".ci" / "joss"
    paper = (folder / "paper.md").read_text()
    cited = set(re.findall(r"@(\w+)", paper))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", (folder / "paper.bib").read_text(), re.MULTILINE))
    figures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", paper)
    assert figures
    assert [name for name in figures if not (folder / name).is_file()] == []


def test_every_module_of_unpacked_wheel_imports_from_there(archives: Archives, tmp_path: Path) -> None:
    site = tmp_path / "site"  # one wheel is enough: the other has the same files (see above)
    with zipfile.ZipFile(archives.from_sdist) as archive:
        archive.extractall(site)
    modules = run_isolated(
        f"""
import importlib, json, pkgutil, sys
sys.path.insert(0, {str(site)!r})
import ce_dynamics
names = [m.name for m in pkgutil.walk_packages(ce_dynamics.__path__, "ce_dynamics.")]
loaded = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
print(json.dumps({{m.__name__: m.__file__ for m in (ce_dynamics, *loaded)}}))
""",
        where=tmp_path,
    )
    assert {"ce_dynamics.kinematics", "ce_dynamics.models.hmmwv"} <= set(modules)
    elsewhere = {name: file for name, file in modules.items() if not Path(file).is_relative_to(site)}
    assert elsewhere == {}


def test_unpacked_sdist_runs_without_links_or_installation(archives: Archives, tmp_path: Path) -> None:
    """It runs like a checkout on file systems without links: models and linkages lie beside the package."""
    with tarfile.open(archives.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    tree = only(tmp_path, "ce_dynamics-*")
    files = run_isolated(
        f"""
import json, pickle, sys
sys.path.insert(0, {str(tree)!r})
from ce_dynamics import kinematics
from ce_dynamics.models import hmmwv
assert pickle.loads(pickle.dumps(hmmwv.build)) is hmmwv.build
print(json.dumps([kinematics.__file__, hmmwv.__file__]))
""",
        where=tmp_path,
    )
    assert files == [str(tree / "kinematics" / "__init__.py"), str(tree / "models" / "hmmwv.py")]
    assert not [path for path in ROOT.rglob("*") if path.is_symlink() and ".venv" not in path.parts]


@pytest.mark.parametrize("name", OUTSIDE)
def test_installation_exposes_no_generic_name(name: str, tmp_path: Path) -> None:
    code = f"""
import importlib.util, json
spec = importlib.util.find_spec({name!r})
print(json.dumps(list(spec.submodule_search_locations or [spec.origin]) if spec else []))
"""
    places = [Path(place).resolve() for place in run_isolated(code, where=tmp_path)]
    assert not any(place.is_relative_to(ROOT) for place in places)


def test_installed_version_is_the_one_in_the_source() -> None:
    assert importlib.metadata.version("ce-dynamics") == ce_dynamics.__version__


def test_command_line_entry_point_leads_to_a_function() -> None:
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="simulate-vehicle")
    assert script.value == "ce_dynamics.cli:main"
    assert callable(script.load())


@pytest.fixture(scope="module")
def typed(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a Python with the wheel and what is installed here, and examples, two errors in one of them."""
    folder = tmp_path_factory.mktemp("typing")
    venv.create(folder / "env", with_pip=False)
    packages = only(folder / "env" / "lib", "python*") / "site-packages"
    with zipfile.ZipFile(archives.from_tree) as wheel:
        wheel.extractall(packages)
    (packages / "others.pth").write_text("\n".join(site.getsitepackages()))
    # matplotlib asks for tuples where it takes arrays; the other needs a package that tests do not install
    left_out = shutil.ignore_patterns("paper_figures.py", "learn_to_drive.py")
    examples = Path(shutil.copytree(ROOT / "docs/examples", folder / "examples", ignore=left_out))
    (examples / "wrong.py").write_text("import ce_dynamics as ce\nce.compile(3)\nce.System().add_bdy()\n")
    return folder / "env/bin/python", examples


MYPY = (
    "--config-file= --ignore-missing-imports --allow-redefinition --local-partial-types --python-executable"
)
NO_PYRIGHT = pytest.mark.skipif(
    shutil.which("pyright") is None, reason="there is no pyright: npm install -g pyright"
)


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 11), reason="stubs of the NumPy for Python 3.10 infer less")
@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, "-m", "mypy", *MYPY.split()], id="mypy"),
        pytest.param(["pyright", "--pythonpath"], id="pyright", marks=NO_PYRIGHT),
    ],
)
def test_type_checkers_accept_examples_with_the_wheel(command: list[str], typed: tuple[Path, Path]) -> None:
    python, examples = typed
    done = subprocess.run(
        [*command, str(python), "."], cwd=examples, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    errors = [line for line in done.stdout.splitlines() if "error" in line and ".py:" in line]
    assert [line for line in errors if "wrong.py" not in line] == []
    assert len(errors) == 2
