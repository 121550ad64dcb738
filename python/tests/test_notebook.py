"""The cells of docs/tutorial/python.ipynb run one after another, without Jupyter, and so does the code of pages."""

import json
import os
import re
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
        self.assertRegex(self.run_code(code), r"intervals of 90% hold \d\d\.\d%")

    def test_pages(self):
        start = ["import matplotlib, warnings; matplotlib.use('agg'); warnings.simplefilter('error')"]
        for page, blocks in (("python/README.md", 1), ("docs/how-to/python.md", 2)):  # the third needs scikit-learn 1.4
            found = re.findall(r"```python\n(.*?)```", (data.ROOT / page).read_text(), re.S)
            with self.subTest(page):
                self.assertGreaterEqual(len(found), blocks)
                self.run_code("\n".join(start + found[:blocks]))

    def run_code(self, code):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([data.program(), "data", "example", "--out", "prices.csv"], cwd=folder, check=True, capture_output=True)
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout
