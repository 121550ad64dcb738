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
    import matplotlib.dates

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
        self.assertFalse(any(line.get_label() == "median" for line in axes.flat[0].lines))  # new and used kettles are two branches
        one = model.plot(context=([[0.5], [3.0]], [278.25, 185.0]))
        low, high = one.flat[0].get_ylim()
        self.assertTrue(low < 185 and 278 < high < 1000)
        self.assertEqual(len(one.flat[0].collections), 2)  # the regions of 50 and of 90%
        with self.assertRaisesRegex(ValueError, "'none', expected one with known points"):
            model.plot(groups=["none"])
        with self.assertRaisesRegex(ValueError, "found no known points"):
            model.as_new().plot()

    @unittest.skipUnless(matplotlib, "there is no matplotlib")
    def test_plot_over_dates(self):
        rows = data.kettles(groups=12)
        model = GroupedRegressor(instant=True).fit([[r[2]] for r in rows], [r[4] for r in rows], [r[0] for r in rows])
        panel = model.plot(groups="p02").flat[0]
        days = sorted(r[2] for r in rows if r[0] == "p02")
        dots = next(line for line in panel.lines if line.get_label() == "known points")
        self.assertEqual(sorted(matplotlib.dates.num2date(x).date().isoformat() for x in dots.get_xdata()), days)
        self.assertEqual((panel.get_title(), len(panel.collections[0].get_paths())), ("p02", 120))
        self.assertTrue(panel.get_xlim()[0] <= matplotlib.dates.datestr2num(days[0]) < matplotlib.dates.datestr2num(days[-1]) <= panel.get_xlim()[1])
        model = GroupedRegressor(instant=True).fit([["1.3.2024" if i % 2 else "7.4.2024"] for i in range(len(rows))], [r[4] for r in rows])
        with self.assertRaisesRegex(ValueError, "found the date '7.4.2024', expected dates of pandas"):
            model.plot()

    @unittest.skipUnless(matplotlib, "there is no matplotlib")
    def test_plot_of_two_columns(self):
        rows = data.kettles()
        x, y = [[r[1], r[3]] for r in rows], [r[4] for r in rows]
        model = GroupedRegressor(instant=True).fit(x, y, [r[0] for r in rows])
        named = lambda axes: [t.get_text() for t in axes.flat[0].get_legend().get_texts()]  # noqa: E731
        shades = ["90% of the prediction", "densest 50%"]
        constant = model.plot(context=([[0.5, "new"], [3.0, "new"], [3.5, "new"]], [278.25, 185.0, 170.0]))
        self.assertEqual(named(constant), [*shades, "median", "known points"])
        bars = lambda axes: [len(c.get_paths()) for c in axes.flat[0].collections]  # noqa: E731
        both = model.plot(groups=["p02"])
        self.assertEqual((named(both), bars(both)), ([*shades, "known points"], [8, 8]))
        asked = model.plot(context=(x[:3], y[:3], ["a"] * 3), targets=(x[3:8], y[3:8], ["a"] * 5))
        self.assertEqual((named(asked), bars(asked)), ([*shades, "targets", "known points"], [5, 5]))
        self.assertEqual(len(model.plot(targets=(x[3:8], None)).flat[0].lines), 0)
        self.assertEqual(asked.flat[0].get_legend().get_title().get_text(), "bars: at the own x of targets")


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

    def routing(self):
        try:
            return sklearn.config_context(enable_metadata_routing=True)
        except TypeError:
            self.skipTest("scikit-learn before 1.4 hands no groups to fit")

    def data(self):
        rows = data.kettles(groups=12)
        return np.array([[r[1]] for r in rows]), np.array([r[4] for r in rows]), np.array([r[0] for r in rows])

    def test_cross_validation_by_groups(self):
        from sklearn.model_selection import GroupKFold, cross_val_score

        x, y, groups = self.data()
        model = GroupedRegressor(instant=True)
        with self.routing():
            model.set_fit_request(groups=True).set_score_request(groups=True)
            scores = cross_val_score(model, x, y, cv=GroupKFold(2), params={"groups": groups}, error_score="raise")
        train, test = next(GroupKFold(2).split(x, y, groups))
        fitted = GroupedRegressor(instant=True).fit(x[train], y[train], groups[train])
        self.assertEqual(scores[0], fitted.score(x[test], y[test], groups[test]))

    def test_pipelines_and_searches(self):
        from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        x, y, groups = self.data()
        weights = np.arange(len(y)) % 3
        with self.routing():
            model = GroupedRegressor(instant=True).set_fit_request(groups=True)
            model.set_score_request(groups=True, sample_weight=True).set_predict_request(groups=True)
            pipeline, folds = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model), GroupKFold(2)
            plain = cross_val_score(pipeline, x, y, cv=folds, params={"groups": groups}, error_score="raise")
            asked = {"groups": groups, "sample_weight": weights}
            weighted = cross_val_score(pipeline, x, y, cv=folds, params=asked, error_score="raise")
            search = GridSearchCV(pipeline, {"groupedregressor__seed": [0, 1]}, cv=folds, error_score="raise")
            search.fit(x, y, groups=groups)
            means = search.best_estimator_.predict(x[:3], groups=groups[:3])
        train, test = next(folds.split(x, y, groups))
        scaler = StandardScaler().fit(x[train])
        fitted = GroupedRegressor(instant=True).fit(scaler.transform(x[train]), y[train], groups[train])
        held = scaler.transform(x[test]), y[test], groups[test]
        self.assertEqual((plain[0], weighted[0]), (fitted.score(*held), fitted.score(*held, sample_weight=weights[test])))
        self.assertEqual(search.cv_results_["mean_test_score"][0], plain.mean())
        self.assertLess(np.abs(means - y[:3]).max(), 60)  # prices differ by hundreds


class Program(unittest.TestCase):
    """Where the program is found, and what becomes of its errors and warnings."""

    @unittest.skipIf(os.name == "nt", "a script of sh")
    def test_errors(self):
        from acqnp import _program

        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "program")
            for code, error, event, message in (
                (2, ValueError, '{"event":"error","message":"data.csv: x: found \\"a\\""}', 'data.csv: x: found "a"'),
                (1, RuntimeError, '{"event":"error","message":"out: no space left"}', "out: no space left"),
                (3, RuntimeError, "", "acqnp ended with the exit code 3"),
            ):
                warning = '{"event":"warning","message":"3 rows left out"}'
                program.write_text(f"#!/bin/sh\ncat >&2 <<'end'\n{warning}\n{event}\nend\nexit {code}\n")
                program.chmod(0o755)
                with self.subTest(code), self.assertWarnsRegex(UserWarning, "^3 rows left out$") as warned, self.assertRaises(error) as raised:
                    _program.run(str(program), ["fit"], folder)
                self.assertEqual(warned.filename, __file__)
                self.assertEqual(str(raised.exception), message)

    def test_words(self):
        from acqnp._words import in_python

        for line, want in (
            ("these scores say nothing; --as-new forgets them", "these scores say nothing; as_new() forgets them"),
            ("fit --outcome real gives others a density too", "outcome='real' gives others a density too"),
            ("the scores follow --row-weights", "the scores follow row_weights"),
            ("data.jsonl:2: x0: found", "data, row 8: x0: found"),
            ("targets.jsonl: left out 2 of 9 rows", "X: left out 2 of 9 rows"),
            ("a - b -- c", "a - b -- c"),
        ):
            self.assertEqual(in_python(line, {"data": [3, 7]}), want)

    @unittest.skipIf(os.name == "nt", "a script of sh")
    def test_long_results(self):
        from acqnp import _program

        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "program")
            program.write_text("#!/bin/sh\nprintf '[1'\nhead -c 300000 /dev/zero | tr '\\0' ' '\nprintf ', 2]\\n'\n")
            program.chmod(0o755)
            self.assertEqual(_program.run(str(program), ["score"], folder), [1, 2])

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
