"""The wheels that wheels.py writes, of a program that prints its arguments."""

import base64
import csv
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "wheels.py"


@unittest.skipUnless(SCRIPT.exists() and sys.version_info >= (3, 11), "wheels.py needs a checkout and Python 3.11")
class Wheels(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        self.program = self.folder / "program"
        self.program.write_text('#!/bin/sh\necho "program: $*"\n')

    def make(self, out, *systems, epoch="1700000000"):
        words = [f"{s}={self.program}" for s in systems]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
        done = subprocess.run([sys.executable, SCRIPT, self.folder / out, *words], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted((self.folder / out).glob("*.whl"))

    def test_tags(self):
        names = [p.name for p in self.make("all", "linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64")]
        self.assertEqual([n.split("-", 2)[2] for n in names], [
            "py3-none-macosx_12_0_arm64.whl",
            "py3-none-macosx_12_0_x86_64.whl",
            "py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl",
            "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl",
            "py3-none-win_amd64.whl",
        ])  # fmt: skip

    def test_content(self):
        linux, windows = self.make("two", "linux/amd64", "windows/amd64")
        with zipfile.ZipFile(windows) as z:
            self.assertTrue(any(n.endswith(".data/scripts/acqnp.exe") for n in z.namelist()))
        with zipfile.ZipFile(linux) as z:
            names = z.namelist()
            info = next(n for n in names if n.endswith("RECORD"))
            rows = {r[0]: r[1:] for r in csv.reader(z.read(info).decode().splitlines())}
            self.assertEqual(set(rows), set(names))
            for name in names:
                if name != info:
                    digest = base64.urlsafe_b64encode(hashlib.sha256(z.read(name)).digest()).rstrip(b"=").decode()
                    self.assertEqual(rows[name], [f"sha256={digest}", str(len(z.read(name)))])
            script = next(n for n in names if n.endswith(".data/scripts/acqnp"))
            self.assertEqual(z.getinfo(script).external_attr >> 16, 0o100755)
            wheel = z.read(info.replace("RECORD", "WHEEL")).decode()
            self.assertEqual(wheel.count("\nTag: "), 3)
            self.assertIn("\nTag: py3-none-musllinux_1_1_x86_64\n", wheel)
            metadata = z.read(info.replace("RECORD", "METADATA")).decode()
            self.assertIn('\nRequires-Dist: scikit-learn>=1.2; extra == "sklearn"\n', metadata)
            version = linux.name.split("-")[1]
            self.assertIn(f'\nRequires-Dist: acqnp-cuda=={version}; extra == "cuda"\n', metadata)

    def test_cuda(self):
        (wheel,) = self.make("cuda", "cuda")
        version = wheel.name.split("-")[1]
        self.assertEqual(wheel.name, f"acqnp_cuda-{version}-py3-none-manylinux_2_28_x86_64.whl")
        with zipfile.ZipFile(wheel) as z:
            names = z.namelist()
            self.assertIn(f"acqnp_cuda-{version}.data/scripts/acqnp-cuda", names)
            self.assertFalse([n for n in names if n.startswith("acqnp/")], "it has no file of the other wheel")
            metadata = z.read(f"acqnp_cuda-{version}.dist-info/METADATA").decode()
        self.assertIn("\nName: acqnp-cuda\n", metadata)
        self.assertIn(f"\nRequires-Dist: acqnp=={version}\n", metadata)
        self.assertNotIn("numpy", metadata)

    def test_the_same_bytes_again(self):
        one, two = (self.make(out, "linux/amd64")[0].read_bytes() for out in ("one", "two"))
        self.assertEqual(one, two)
        self.assertNotEqual(one, self.make("three", "linux/amd64", epoch="1700000002")[0].read_bytes())

    @unittest.skipUnless(sys.platform == "linux", "installs a wheel for Linux")
    def test_pip_installs_it(self):
        (wheel,) = self.make("pip", f"linux/{'arm64' if os.uname().machine == 'aarch64' else 'amd64'}")
        target = self.folder / "site"
        if importlib.util.find_spec("pip") is None:
            self.skipTest("there is no pip")
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", target, wheel]
        subprocess.run(command, check=True, capture_output=True)
        environment = {k: v for k, v in os.environ.items() if k != "ACQNP"} | {"PYTHONPATH": str(target)}
        done = subprocess.run([sys.executable, "-m", "acqnp", "fit", "x"], cwd=self.folder, capture_output=True, text=True, env=environment)
        self.assertEqual(done.stdout, "program: fit x\n", done.stderr)
        self.assertTrue(os.access(target / "bin/acqnp", os.X_OK))


if __name__ == "__main__":
    unittest.main()
