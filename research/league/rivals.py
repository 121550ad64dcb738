"""The tools of tools/: every file there that has a NAME is a rival, but acqnp.py."""
import glob
import importlib
import os

EQUAL, STACK = "equal mixture", "stack of rivals"  # of those of EVERY
ALL_EQUAL, ALL_STACK = "equal mixture of all", "stack of all rivals"
EVERY = ["constant", "mixed_model", "gaussian_process", "conditional_normal", "regressions", "cat_boost"]  # have run on every split
KINDS = ["simple", "rival"]


def modules():
    """Returns the rivals by the names of their files, the simple ones first."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools", "*.py")
    files = sorted(os.path.basename(f)[:-3] for f in glob.glob(here))
    found = {f: importlib.import_module(f) for f in files if f != "acqnp"}
    return dict(sorted(found.items(), key=lambda m: KINDS.index(m[1].KIND)))


def mixtures():
    """Returns the mixtures of rivals: the names of the equal one and of the stack, and those of their tools."""
    of = modules()
    return [(EQUAL, STACK, [m.NAME for f, m in of.items() if f in EVERY]), (ALL_EQUAL, ALL_STACK, [m.NAME for m in of.values()])]


def kinds():
    """Returns the kind of each rival by its name; the mixtures of rivals are of the kind mixture."""
    return {m.NAME: m.KIND for m in modules().values()} | dict.fromkeys((EQUAL, STACK, ALL_EQUAL, ALL_STACK), "mixture")
