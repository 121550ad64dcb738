"""The tools of tools/: every file there that has a NAME is a rival, but acqnp.py."""
import glob
import importlib
import os

EQUAL, STACK = "equal mixture", "stack of rivals"
KINDS = ["simple", "rival"]


def modules():
    """Returns the rivals by the names of their files, the simple ones first."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools", "*.py")
    files = sorted(os.path.basename(f)[:-3] for f in glob.glob(here))
    found = {f: importlib.import_module(f) for f in files if f != "acqnp"}
    return dict(sorted(found.items(), key=lambda m: KINDS.index(m[1].KIND)))


def kinds():
    """Returns the kind of each rival by its name; the mixtures of all rivals are of the kind mixture."""
    return {m.NAME: m.KIND for m in modules().values()} | {EQUAL: "mixture", STACK: "mixture"}
