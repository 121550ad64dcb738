"""The package beside other programs: pickles, folders, the command, and a Python without scikit-learn."""

import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from . import data
from acqnp import GroupedRegressor

try:
    import sklearn
    from sklearn.utils import estimator_checks
except ImportError:
    sklearn = None
try:
    import matplotlib

    matplotlib.use("agg")
except ImportError:
    matplotlib = None


class Package(unittest.TestCase):
    def test_pickle(self):
        _, model = data.fitted()
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict([[1.0], [2.0]], ["p01", "q"]), model.predict([[1.0], [2.0]], ["p01", "q"]))

    def test_folders_of_the_command_line(self):
        _, model = data.fitted()
        context = [[0.5], [3.0]], [278.25, 185.0]
        model.save(data.folder() / "saved.fit")
        data.write("two.csv", ["x0", "y"], zip([0.5, 3.0], context[1]))
        got = data.predicted("saved.fit", "--context", "two.csv", "--grid=1:2:2")
        np.testing.assert_array_equal([r["mean"] for r in got], model.predict([[1.0], [2.0]], context=context))
        loaded = GroupedRegressor.load(data.folder() / "kettles.fit")
        with self.assertWarnsRegex(UserWarning, "valid feature names"):
            means = loaded.predict([[1.0], [2.0]], context=context)
        np.testing.assert_array_equal(means, [r["mean"] for r in got])
        self.assertEqual(list(loaded.feature_names_in_), ["age"])

    def test_command(self):
        run = lambda *words: subprocess.run([sys.executable, "-m", "acqnp", *words], capture_output=True, text=True, env=self.environment())  # noqa: E731
        self.assertEqual(run("--version").stdout, data.command("--version"))
        self.assertEqual(run("predict", "none.fit", "--grid=0:1:2").returncode, 2)

    def test_without_a_program(self):
        with self.assertRaisesRegex(FileNotFoundError, "program: found no program"):
            GroupedRegressor(program="/none").fit([[float(i)] for i in range(20)], range(20))

    def test_without_scikit_learn_and_scipy(self):
        code = """
import sys
sys.modules["sklearn"] = sys.modules["scipy"] = sys.modules["pandas"] = None
import acqnp
assert "numpy" not in sys.modules
model = acqnp.GroupedRegressor(instant=True).set_params(seed=4)
print(repr(model), model.get_params()["seed"])
x = [[i / 10] for i in range(40)]
model.fit(x, [v[0] + i % 3 for i, v in enumerate(x)])
d = model.predict_distribution(x[:3])
print(abs(d.raw().cdf(d.raw().ppf(0.3)) - 0.3).max() < 1e-6)
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=self.environment())
        self.assertEqual(done.stdout, "GroupedRegressor(instant=True, seed=4) 4\nTrue\n", done.stderr)

    def environment(self):
        return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}

    @unittest.skipUnless(matplotlib, "there is no matplotlib")
    def test_plot(self):
        _, model = data.fitted()
        axes = model.plot(groups=["p02", "p03", "p00"])
        self.assertEqual([a.get_title() for a in axes.flat], ["p02", "p03", "p00"])
        self.assertEqual((axes.flat[0].get_xlabel(), axes.flat[0].get_ylabel()), ("x0", "y"))
        one = model.plot(context=([[0.5], [3.0]], [278.25, 185.0]))
        low, high = one.flat[0].get_ylim()
        self.assertTrue(low < 185 and 278 < high < 1000)
        self.assertEqual(len(one.flat[0].collections), 2)  # the regions of 50 and of 90%
        with self.assertRaisesRegex(ValueError, "'none', expected one with known points"):
            model.plot(groups=["none"])


@unittest.skipUnless(sklearn, "there is no scikit-learn")
class ScikitLearn(unittest.TestCase):
    # Checks that fail, and why. There are none; docs/how-to/python.md says so.
    EXPECTED = {}

    def test_checks_of_estimators(self):
        model = GroupedRegressor(instant=True, threads=1)
        if hasattr(estimator_checks, "estimator_checks_generator"):
            checks = estimator_checks.estimator_checks_generator(model)
        else:
            checks = estimator_checks.check_estimator(model, generate_only=True)
        failed = {}
        for estimator, check in checks:
            name = getattr(check, "func", check).__name__
            try:
                check(estimator)
            except unittest.SkipTest:
                pass
            except Exception as e:  # noqa: BLE001
                failed[name] = e
        self.assertEqual(set(failed), set(self.EXPECTED), failed)

    def test_cross_validation_by_groups(self):
        from sklearn.model_selection import GroupKFold, cross_val_score

        rows = data.kettles(groups=12)
        x, y, groups = np.array([[r[1]] for r in rows]), [r[4] for r in rows], [r[0] for r in rows]
        model = GroupedRegressor(instant=True)
        try:
            context = sklearn.config_context(enable_metadata_routing=True)
        except TypeError:
            self.skipTest("scikit-learn before 1.4 hands no groups to fit")
        with context:
            model.set_fit_request(groups=True).set_score_request(groups=True)
            scores = cross_val_score(model, x, y, cv=GroupKFold(2), params={"groups": groups})
        fold = next(GroupKFold(2).split(x, y, groups))
        take = lambda values, rows: [values[i] for i in rows]  # noqa: E731
        fitted = GroupedRegressor(instant=True).fit(x[fold[0]], take(y, fold[0]), take(groups, fold[0]))
        self.assertEqual(scores[0], fitted.score(x[fold[1]], take(y, fold[1]), take(groups, fold[1])))


class Program(unittest.TestCase):
    """Where the program is found."""

    def test_order(self):
        from acqnp import _program

        with tempfile.TemporaryDirectory() as folder:
            scripts, other = Path(folder, "scripts"), Path(folder, "other")
            for place in (scripts, other):
                place.mkdir()
                (place / _program.NAME).write_text("")
                (place / _program.NAME).chmod(0o755)
            before, environment = _program.sysconfig.get_path, dict(os.environ)
            _program.sysconfig.get_path = lambda *_, **__: str(scripts)
            try:
                os.environ["ACQNP"] = str(other / _program.NAME)
                self.assertEqual(_program.find(str(scripts / _program.NAME)), str(scripts / _program.NAME))
                self.assertEqual(_program.find(), str(other / _program.NAME))
                del os.environ["ACQNP"]
                os.environ["PATH"] = str(other)
                self.assertEqual(_program.find(), str(scripts / _program.NAME))
                (scripts / _program.NAME).unlink()
                self.assertEqual(_program.find(), str(other / _program.NAME))
            finally:
                _program.sysconfig.get_path = before
                os.environ.clear()
                os.environ.update(environment)


if __name__ == "__main__":
    unittest.main()
