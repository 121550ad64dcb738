"""The cells of docs/tutorial/python.ipynb run one after another, without Jupyter."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from . import data

NOTEBOOK = data.ROOT / "docs/tutorial/python.ipynb"

try:
    import matplotlib
    import pandas
except ImportError as e:
    absent = f"there is no {e.name}"
else:
    absent = "" if NOTEBOOK.exists() else "the notebook is in a checkout"


@unittest.skipIf(absent, absent)
class Notebook(unittest.TestCase):
    def test_cells(self):
        cells = [c for c in json.loads(NOTEBOOK.read_text())["cells"] if c["cell_type"] == "code"]
        self.assertTrue(all(c["outputs"] == [] for c in cells))
        code = "import matplotlib; matplotlib.use('agg')\n" + "\n".join("".join(c["source"]) for c in cells)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"intervals of 90% hold \d\d\.\d%")
