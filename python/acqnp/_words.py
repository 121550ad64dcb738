"""What the program says, in the words of this package."""

import re

# The name of a group that has none, in quotes that no other name is written in.
NAMELESS = '"no name"'

# Flags of the program, and what does the same here. Others are arguments of the same name.
FLAGS = {"as-new": "as_new()", "context": "context", "targets": "X", "quantiles": "levels", "hdr": "coverage", "draws": "n", "raw": "raw()"}

_FLAG = re.compile(r"(?:fit |predict |score )?(?<![\w-])--([a-z][a-z-]*)(?:[ =](real|counts|bounded)\b)?")
_FILE = re.compile(r"\b(data|context|targets)\.jsonl(?::(\d+))?")


def in_python(message, places):
    """Return a line of the program with arguments instead of its flags, and rows of tables instead of lines of files."""

    def argument(match):
        name, value = match.groups()
        here = FLAGS.get(name, name.replace("-", "_"))
        return f"{here}={value!r}" if value else here

    def place(match):
        name, line = match.groups()
        table = "X" if name == "targets" else name
        return f"{table}, row {places[name][int(line) - 1] + 1}" if line and int(line) <= len(places.get(name, ())) else table

    return _FILE.sub(place, _FLAG.sub(argument, message.removeprefix("run: ")))  # the folder of the fit
