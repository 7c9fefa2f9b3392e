"""Campaign ``emulated``: FMUs of other platforms run here, by emulators where there are any.

The library for Linux on ARM64 by qemu-user, that for Windows by Wine, both from Debian (qemu-user with
libc6-arm64-cross; wine64).  `importer.c` steps them; its numbers have to be those of the library of this
platform, bit by bit.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import fmpy

import ce_dynamics as ce
from ce_dynamics.compiled.export.cross_compiler import PLATFORMS

IMPORTER = Path(__file__).parent / "importer.c"
HEADERS = Path(fmpy.__file__).parent / "c-code"
ARM_LIBRARIES = Path("/usr/aarch64-linux-gnu")
STEPS, STEP = 100, 0.01


class Emulator(NamedTuple):
    """Command that runs programs of another platform, and the package that provides it."""

    command: tuple[str, ...]
    remedy: str

    def missing(self) -> str:
        """Name the package to install; empty if it is there."""
        there = shutil.which(self.command[0]) is not None
        return "" if there and (len(self.command) < 3 or Path(self.command[2]).is_dir()) else self.remedy


EMULATORS = {
    "aarch64-linux": Emulator(
        ("qemu-aarch64", "-L", str(ARM_LIBRARIES)), "no qemu-aarch64: apt install qemu-user libc6-arm64-cross"
    ),
    "x86_64-windows": Emulator(
        (shutil.which("wine64") or "/usr/lib/wine/wine64",), "no wine64: apt install wine64"
    ),
}


def run(
    path: Path, platform: str, folder: Path, given: Mapping[str, float], outputs: Sequence[str]
) -> list[float]:
    """Outputs after `STEPS` of an FMU 3.0, whose library for a platform its emulator runs."""
    described = fmpy.read_model_description(str(path))
    number = {v.name: v.valueReference for v in described.modelVariables}
    with zipfile.ZipFile(path) as archive:
        inside = next(name for name in archive.namelist() if name.startswith(f"binaries/{platform}/"))
        library = Path(archive.extract(inside, folder)).resolve()
    program = library.parent / "importer.exe"
    windows = platform.endswith("windows")
    defined = {
        "LIBRARY": f'"{library.name if windows else library}"',
        "TOKEN": f'"{described.instantiationToken}"',
        "REFERENCES": ",".join(str(number[name]) for name in given),
        "VALUES": ",".join(map(repr, given.values())),
        "OUTPUTS": ",".join(str(number[name]) for name in outputs),
        "STEPS": str(STEPS),
        "STEP": repr(STEP),
    }
    command = [
        sys.executable, "-m", "ziglang", "cc", "-target", PLATFORMS[platform].target, "-std=c99", "-O1",
    ]  # fmt: skip
    command += [f"-I{HEADERS}", str(IMPORTER), "-o", str(program)]
    command += [f"-D{name}={value}" for name, value in defined.items()]
    command += ["-nostdlib", "-Wl,-e,start", "-lkernel32"] if windows else ["-ldl"]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [*EMULATORS[platform].command, str(program)],
        cwd=library.parent,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "WINEDEBUG": "-all"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [struct.unpack(">d", bytes.fromhex(line))[0] for line in done.stdout.split()]


def main() -> None:
    """A slider-crank on every platform that can be run here."""
    from tests.ce_dynamics.compiled.export.test_fmu import Instances, pendulum

    given, outputs = {"torque": 2.0, "piston mass": 1.8}, ("crank", "crank_rate", "stroke")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        platforms = [fmpy.platform_tuple, *EMULATORS]
        path = ce.export_fmu(ce.compile(pendulum()), folder / "crank.fmu", platforms=platforms)
        here = Instances(path, "3.0", folder / "here")
        instance = here.new(**given)
        for k in range(STEPS):
            here.step(instance, k * STEP, STEP)
        expected = [here.get(instance, name) for name in outputs]
        print(f"{fmpy.platform_tuple}: {expected}")
        for platform, emulator in EMULATORS.items():
            if why := emulator.missing():
                print(f"{platform}: not run: {why}")
                continue
            found = run(path, platform, folder / platform, given, outputs)
            print(f"{platform}: {'the same bits' if found == expected else found}")
            assert found == expected, platform


if __name__ == "__main__":
    main()
