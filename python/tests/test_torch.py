"""Exported weights in PyTorch, beside what the program predicts."""

import csv
import unittest

import numpy as np

from . import data

try:
    import torch
except ImportError:
    torch = None

KNOWN, TARGETS = [(0.5, "new", 350.0), (3.0, "used", 190.0), (1.5, "new", 280.0)], [(1.0, "new", 310.0), (4.0, "used", 150.0)]
SMALL = ["model.representation=8", "model.encoder=[9]", "model.decoder=[9]"]
ATTENTION = ["model.aggregation=attention", "model.key_encoder=[5]", "model.query_encoder=[5]", "model.heads=2"]
CASES = {
    "cnp": SMALL,
    "canp": [*SMALL, "model.key_encoder=[5]", "model.query_encoder=[5]", "model.heads=2", "model.heads_form=shared"],
    "bnp": ["model.width=8"],
    "cqnp": [*SMALL, "data.log=[price]"],
    "acqnp": [*SMALL, "model.adaptor=[7]", "model.adaptor_form=plain", "data.log=[age]"],
    "acqnp, residual": [*SMALL, *ATTENTION, "model.adaptor=[7]", "model.adaptor_form=residual", "model.scale_form=natural"],
    "cnp, gaussian-mixture": [*SMALL, *ATTENTION, "model.head=gaussian-mixture", "model.parts=4", "data.log=[price]"],
    "cnp, quantile-mixture": [*SMALL, "model.head=quantile-mixture", "model.parts=3", "model.scale_form=natural"],
    "cqnp, transformer": [*SMALL, "model.aggregation=transformer", "model.layers=2", "model.heads=2", "model.feedforward=6"],
}


def write(name, rows, group):
    data.write(name, ["product", "age", "kind", "price"], [(group, *row) for row in rows])


@unittest.skipIf(torch is None, "there is no PyTorch")
class Torch(unittest.TestCase):
    def trained(self, case, known):
        """Train the case for a few steps, and return its module, and the program's answers from known points."""
        stem = case.replace(", ", "-")
        data.write("torch.csv", ["product", "age", "kind", "price"], [(r[0], r[1], r[3], r[4]) for r in data.kettles()])
        data.command("init", "--csv", "torch.csv", "--x", "age,kind", "--y", "price", "--group", "product", "--model", case.split(",")[0],
                     "--out", f"{stem}.yaml", "--overwrite")  # fmt: skip
        levels = ["eval.num_tau=20"] if "qnp" in case else []
        changes = [word for s in (*CASES[case], *levels, "train.steps=3", "train.batch_size=4") for word in ("--set", s)]
        data.command("train", "--config", f"{stem}.yaml", *changes, "--run-dir", stem, "--overwrite", "--quiet")
        data.command("export", "--run", stem, "--out", f"{stem}.safetensors", "--overwrite")
        write("known.csv", known, "q")
        write("asked.csv", TARGETS, "q")
        data.command("score", "--run", stem, "--context", "known.csv", "--targets", "asked.csv", "--out", "scored.csv", "--overwrite", "--quiet")
        with open(data.folder() / "scored.csv") as f:
            scores = list(csv.DictReader(f))
        quantiles = data.predicted("--run", stem, "--context", "known.csv", "--targets", "asked.csv", "--quantiles", "0.1,0.9")
        return __import__("acqnp.torch").torch.load(data.folder() / f"{stem}.safetensors"), scores, quantiles

    def check(self, case, known):
        model, scores, quantiles = self.trained(case, known)
        names = next(c["categories"] for c in model.units.x if c["name"] == "kind")
        x, y = ([[[row[0], names.index(row[1])] for row in rows]] for rows in (known, TARGETS))
        with torch.no_grad():
            context = torch.tensor(x, dtype=torch.float64).reshape(1, len(known), 2)
            found = model.double()(context, torch.tensor([row[2] for row in known], dtype=torch.float64).reshape(1, -1, 1), y, levels=20)
            asked = torch.tensor([[[row[2]] for row in TARGETS]])
            # The program computes components in float32.
            for got, column, rows in ((found.log_prob(asked), "log_density", scores), (found.cdf(asked), "pit", scores), (found.mean(), "mean", scores),
                                      (found.quantile(0.1), "q0.1", quantiles), (found.quantile(0.9), "q0.9", quantiles)):  # fmt: skip
                want = [float(row[column]) for row in rows]
                np.testing.assert_allclose(got.numpy().ravel(), want, rtol=2e-5, atol=2e-5, err_msg=f"{case}, {column}")

    def test_predictions_are_those_of_the_program(self):
        for case in CASES:
            with self.subTest(case):
                self.check(case, KNOWN[:1] if case == "bnp" else KNOWN)  # all bootstraps of one point are the same

    def test_without_known_points(self):
        for case in "cnp", "canp", "acqnp, residual", "cqnp, transformer":
            with self.subTest(case):
                self.check(case, [])

    def test_gradients_reach_all_weights(self):
        model, _, _ = self.trained("acqnp", KNOWN)
        (-model([[[0.5, 0], [3.0, 1]]], [[[350.0], [190.0]]], [[[1.0, 0]]]).log_prob([[[310.0]]]).mean()).backward()
        for name, weight in model.named_parameters():
            self.assertTrue(torch.isfinite(weight.grad).all() and weight.grad.abs().sum() > 0, name)

    def test_other_files(self):
        load = __import__("acqnp.torch").torch.load
        for content, found in ((b"no tensors", "no safetensors file"), (b"\x02" + bytes(7) + b"{}", "no configuration")):
            (data.folder() / "other.safetensors").write_bytes(content)
            with self.assertRaisesRegex(ValueError, f"other.safetensors: found {found}"):
                load(data.folder() / "other.safetensors")


if __name__ == "__main__":
    unittest.main()
