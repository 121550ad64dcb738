"""python -m acqnp runs the program."""

import os
import subprocess
import sys

from ._program import find


def main():
    try:
        command = [find(), *sys.argv[1:]]
    except FileNotFoundError as e:
        sys.exit(f"python -m acqnp: {e}")
    if sys.platform == "win32":  # which would not wait for a program that replaces this one
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
