"""The program acqnp: where it is, and calls of it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path

from ._words import NAMELESS, in_python

NAME = "acqnp.exe" if sys.platform == "win32" else "acqnp"


def find(program=None):
    """Return the path of the program.

    It is ``program`` or the environment variable ACQNP if they are given, otherwise what pip has
    installed beside this package, otherwise what PATH has.
    """
    for source, path in (("program", program), ("ACQNP", os.environ.get("ACQNP"))):
        if path:
            if not os.access(path, os.X_OK) or os.path.isdir(path):
                raise FileNotFoundError(f"{source}: found no program {path}")
            return os.path.abspath(path)
    for folder in _folders():
        if os.access(folder / NAME, os.X_OK):
            return str(folder / NAME)
    if on_path := shutil.which("acqnp"):
        return on_path
    raise FileNotFoundError("found no program acqnp, neither where pip puts it nor in PATH; the variable ACQNP can name it")


def _folders():
    """Yield where pip puts programs: for this Python, for this user, and with pip install --target."""
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")))
    yield Path(__file__).parent.parent / "bin"


def run(program, arguments, folder, verbose=False, places=None):
    """Run the program in a folder, and return what it prints as JSON.

    places has, by the stem of a file of rows, the number of each of its rows in the user's table.

    Its warnings become warnings of Python. A mistake of the user becomes a ValueError with the program's
    line, any other error a RuntimeError. verbose prints progress on standard error.
    """
    command = [find(program), arguments[0], "--json", *([] if verbose else ["--quiet"]), *arguments[1:]]
    with tempfile.TemporaryFile() as out:  # scores of many groups would fill a pipe while standard error is read
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, encoding="utf-8")
        try:
            message = _listen(process.stderr, verbose, places or {})
            code = process.wait()
        except BaseException:  # such as KeyboardInterrupt in a notebook
            process.kill()
            raise
        finally:
            process.stderr.close()
            process.wait()
        if code:
            raise (ValueError if code == 2 else RuntimeError)(message or f"acqnp ended with the exit code {code}")
        out.seek(0)
        return json.loads(out.read() or "null")


def _listen(lines, verbose, places):
    """Read events as JSON, a line each, and return the message of an error."""
    error = ""
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:  # such as a panic of Go
            error += line
            continue
        kind = event.get("event")
        if kind == "error":
            error = in_python(event["message"], places)
        elif kind == "warning":
            if f"of 1 group ({NAMELESS})" in event["message"]:
                continue  # rows without a group are one that nobody names
            warnings.warn(in_python(event["message"], places), UserWarning, stacklevel=caller())
        elif kind == "progress" and verbose:
            print(f"{event['task']}: {event['unit']} {event['done']} of {event.get('total')}", file=sys.stderr)
        elif verbose and "message" in event:
            print(in_python(event["message"], places), file=sys.stderr)
    return error.strip()


def caller():
    """Return the stacklevel of the line outside the package that called it: warnings show that line."""
    level, frame = 1, sys._getframe(1)
    while frame and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level
