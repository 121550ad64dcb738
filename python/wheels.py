#!/usr/bin/env python3
"""Makes wheels of acqnp: the package, and the program where pip puts commands.

    wheels.py FOLDER              builds the program for all systems with Go, and writes their wheels
    wheels.py FOLDER SYSTEM=FILE  writes the wheel of a program that is there, such as linux/amd64=./acqnp
    wheels.py FOLDER cuda=FILE    writes the wheel acqnp-cuda, of the program that make gpu builds

The same commit gives the same bytes, with the same versions of Go, Python and zlib. It is the backend of
pyproject.toml too (PEP 517), for the system that it runs on.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# The tags of the wheel of each system. The program needs no C library, so that one wheel serves all of Linux.
# Go 1.26 needs macOS 12.
TAGS = {
    "linux/amd64": ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    "linux/arm64": ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    "darwin/amd64": ["macosx_12_0_x86_64"],
    "darwin/arm64": ["macosx_12_0_arm64"],
    "windows/amd64": ["win_amd64"],
}
# The CUDA program needs glibc. scripts/needed.sh holds it to this version.
CUDA_TAGS = ["manylinux_2_28_x86_64"]


def version():
    text = (ROOT / "internal/run/version/version.go").read_text()
    return re.search(r'^const release = "([0-9.]+)"$', text, re.M)[1]


def when():
    """Return the date of the files in wheels: SOURCE_DATE_EPOCH, or that of the commit."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if seconds is None:
        git = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True)
        seconds = git.stdout.strip() or 0
    earliest = 315532800  # 1980, the first year that zip can state
    return time.gmtime(max(int(seconds), earliest))[:6]


def build(system, out):
    """Build the program for a system such as linux/amd64."""
    goos, goarch = system.split("/")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOOS": goos, "GOARCH": goarch}
    subprocess.run(["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "./cmd/acqnp"], cwd=ROOT, env=environment, check=True)


def metadata(name):
    """Return METADATA of acqnp or acqnp-cuda: the table project of pyproject.toml."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    text = (HERE / project["readme"]).read_text()
    if name == "acqnp-cuda":
        text = 'The program of [acqnp](https://pypi.org/project/acqnp) for NVIDIA GPUs: `pip install "acqnp[cuda]"`.\n'
        project |= {"name": name, "description": "acqnp for NVIDIA GPUs", "dependencies": ["acqnp"], "optional-dependencies": {}}
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {p.name}" for p in licences()),
        f"Keywords: {','.join(project['keywords'])}",
        f"Requires-Python: {project['requires-python']}",
    ]
    lines += [f"Classifier: {c}" for c in project["classifiers"]]
    lines += [f"Project-URL: {name}, {url}" for name, url in project["urls"].items()]
    lines += [f"Requires-Dist: {_same(d)}" for d in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {_same(d)}; extra == "{extra}"' for d in needs]
    lines += ["Description-Content-Type: text/markdown", "", text]
    return "\n".join(lines)


def _same(requirement):
    """Return a requirement. One of the two packages wants the other in its own version."""
    return f"{requirement}=={version()}" if requirement in ("acqnp", "acqnp-cuda") else requirement


def licences():
    """Return the licence, and those of the modules in the program where `sh scripts/licences.sh` has written them."""
    return [p for p in (ROOT / "LICENSE", ROOT / "bin" / "release" / "THIRD_PARTY_LICENSES.txt") if p.exists()]


def write(folder, system, program):
    """Write the wheel of a program for a system, and return its name."""
    cuda = system == "cuda"
    project = command = "acqnp-cuda" if cuda else "acqnp"
    tags = CUDA_TAGS if cuda else TAGS[system]
    base = f"{project.replace('-', '_')}-{version()}"
    if system.startswith("windows/"):
        command += ".exe"
    wheel = ["Wheel-Version: 1.0", "Generator: acqnp wheels.py", "Root-Is-Purelib: false"] + [f"Tag: py3-none-{t}" for t in tags]
    # Of each file: its place in the wheel, its content, and whether it is a program.
    files = [(p.relative_to(HERE).as_posix(), p.read_bytes(), False) for p in sorted((HERE / "acqnp").rglob("*.py")) if not cuda]
    files += [
        (f"{base}.data/scripts/{command}", Path(program).read_bytes(), True),
        (f"{base}.dist-info/METADATA", metadata(project).encode(), False),
        (f"{base}.dist-info/WHEEL", "\n".join([*wheel, ""]).encode(), False),
        *((f"{base}.dist-info/licenses/{p.name}", p.read_bytes(), False) for p in licences()),
    ]
    record = f"{base}.dist-info/RECORD"
    rows = [f"{place},sha256={_digest(content)},{len(content)}" for place, content, _ in files] + [f"{record},,", ""]
    files.append((record, "\n".join(rows).encode(), False))

    name = f"{base}-py3-none-{'.'.join(tags)}.whl"
    Path(folder).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(Path(folder, name), "w") as out:
        for place, content, runs in files:
            entry = zipfile.ZipInfo(place, when())
            entry.create_system = 3  # Unix, whose permissions follow
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            out.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return name


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def own_system():
    """Return the system that go builds for here."""
    found = subprocess.run(["go", "env", "GOOS", "GOARCH"], capture_output=True, text=True, check=True).stdout.split()
    system = "/".join(found)
    if system not in TAGS:
        sys.exit(f"wheels.py: found the system {system}, expected one of {', '.join(TAGS)}")
    return system


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel for this system; pip calls this."""
    with tempfile.TemporaryDirectory() as folder:
        build(own_system(), Path(folder, "acqnp"))
        return write(wheel_directory, own_system(), Path(folder, "acqnp"))


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the program is built from a checkout; there is no source distribution")


def main(folder, *programs):
    given = dict(p.split("=", 1) for p in programs)
    for system in given or TAGS:
        if system not in TAGS and not (system == "cuda" and system in given):
            sys.exit(f"wheels.py: found the system {system}, expected one of {', '.join(TAGS)}, cuda")
        with tempfile.TemporaryDirectory() as built:
            program = given.get(system) or Path(built, "acqnp")
            if system not in given:
                build(system, program)
            name = write(folder, system, program)
        print(f"{Path(folder, name)} ({Path(folder, name).stat().st_size / 2**20:.1f} MiB)", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
