"""Tasks of a simulator: files, and a command that acqnp train asks."""

import json
import os
import struct
import subprocess
import sys
import unittest

import numpy as np

from . import data
import acqnp

SIMULATOR = """
import numpy as np
import acqnp

def simulate(kind, number):
    draw = np.random.default_rng([kind == "eval", number])
    x = draw.uniform(-2, 2, (3, 6 + number % 4, 2))
    if __name__ == "__main__":
        print("what it says")
    return x, np.sin(x[..., :1]) + 0.1 * draw.standard_normal((*x.shape[:2], 1)), 2 + number % 3

if __name__ == "__main__":
    acqnp.answer_tasks(simulate)
"""
CONFIGURATION = """
benchmark: tasks
model: {name: cnp, representation: 8, encoder: [8], decoder: [8]}
data: {DATA, points: [1, 9]}
train: {steps: 8, batch_size: 3, checkpoint_every: 4}
eval: {batches: 3, batch_size: 3, num_points: 9, max_context: 4}
"""


def tensors(path):
    """Return the bytes of the tensors of a safetensors file."""
    content = path.read_bytes()
    (size,) = struct.unpack_from("<Q", content)
    return content[8 + size :]


class Tasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = data.folder() / "tasks"
        cls.folder.mkdir(exist_ok=True)
        (cls.folder / "simulate.py").write_text(SIMULATOR)
        found = {"__name__": "simulate"}
        exec(SIMULATOR, found)
        cls.simulate = staticmethod(found["simulate"])

    def train(self, name, data_of, *words):
        (self.folder / f"{name}.yaml").write_text(CONFIGURATION.replace("DATA", data_of))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        done = subprocess.run([data.program(), "train", "--config", f"{name}.yaml", "--run-dir", name, "--quiet", *words],
                              cwd=self.folder, capture_output=True, text=True, env=environment)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return tensors(self.folder / name / "checkpoints" / "step-8.safetensors")

    def test_files_and_a_command_train_the_same(self):
        self.assertEqual(acqnp.write_tasks(self.folder / "train.safetensors", (self.simulate("train", i) for i in range(8))), 8)
        acqnp.write_tasks(self.folder / "eval.safetensors", (self.simulate("eval", i) for i in range(3)))
        files = "tasks: train.safetensors, eval_tasks: eval.safetensors"
        whole = self.train("files", files)
        self.assertEqual(whole, self.train("command", f"command: [{json.dumps(sys.executable)}, simulate.py]"))
        self.assertEqual(whole, self.train("command-3", f"command: [{json.dumps(sys.executable)}, simulate.py]", "--threads", "3"))
        for name, of in ("files", files), ("command", f"command: [{json.dumps(sys.executable)}, simulate.py]"):
            (self.folder / name / "checkpoints" / "step-8.safetensors").unlink()  # as after a stop at step 4
            self.assertEqual(whole, self.train(name, of, "--resume"))

    def test_written_numbers_are_read_back(self):
        x = np.arange(12.0).reshape(2, 3, 2)
        acqnp.write_tasks(self.folder / "one.safetensors", [(x, -x[..., :1], 1)])
        content = (self.folder / "one.safetensors").read_bytes()
        (size,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + size])
        self.assertEqual(header["__metadata__"], {"num_context": "[1]"})
        self.assertEqual(header["0.y"]["shape"], [2, 3, 1])
        np.testing.assert_array_equal(np.frombuffer(content[8 + size :], "<f4"), [*range(12), 0, -2, -4, -6, -8, -10])

    def test_batches_that_are_refused(self):
        x = np.zeros((2, 3, 1))
        for batches, found in (
            ([], "found no batch"),
            ([(x, x[:1], 1)], r"batch 0: found x \[2, 3, 1\] and y \[1, 3, 1\]"),
            ([(x, x, 3)], "batch 0: found 3 known points, expected 0 to 2"),
            ([(x, x, 1), (x, x + np.nan, 1)], r"batch 1: found nan in y\[0, 0, 0\]"),
            ([(x, x, 1), (np.zeros((2, 3, 2)), x, 1)], r"batch 1: found \[2, 1\] columns of x and y, expected \[1, 1\]"),
        ):
            with self.assertRaisesRegex(ValueError, found):
                acqnp.write_tasks(self.folder / "none.safetensors", batches)
            self.assertEqual([p.name for p in self.folder.glob("none*")], [])


if __name__ == "__main__":
    unittest.main()
