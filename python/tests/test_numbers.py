"""The numbers of GroupedRegressor are those of the command line."""

import json
import pickle
import unittest
import warnings

import numpy as np

from . import data
from acqnp import GroupedRegressor, cross_validate
from acqnp._validation import means

try:
    import pandas
except ImportError:
    pandas = None

KNOWN = [("a", 0.5, 278.25), ("b", 1.25, 190.5), ("a", 3.0, 185.0), ("b", 2.0, 1 / 3 + 150)]
ASKED = [("b", 1.0), ("a", 0.1), ("b", 4.25), ("a", 2 / 3), ("a", 5.0)]


def split(rows):
    return [[r[1]] for r in rows], [r[0] for r in rows]


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        _, cls.model = data.fitted()
        data.write("context.csv", ["product", "age", "price"], KNOWN)
        data.write("targets.csv", ["product", "age"], ASKED)
        cls.X, cls.groups = split(ASKED)
        cls.context = split(KNOWN)[0], [r[2] for r in KNOWN], split(KNOWN)[1]
        cls.files = "kettles.fit", "--context", "context.csv", "--targets", "targets.csv"

    def of_file(self, rows, *columns):
        """Return columns of rows of predict, which are in the order of ASKED."""
        return np.array([[r[c] for c in columns] for r in rows], dtype=float)

    def test_fit(self):
        own, theirs = (json.loads(c) for c in (self.model.run_["fit.json"], (data.folder() / "kettles.fit/fit.json").read_bytes()))
        self.assertEqual(own["stacks"], theirs["stacks"])

    def test_predictions(self):
        want = data.predicted(*self.files, "--quantiles", "0.1,0.5,0.95", "--draws", "3", "--seed", "5")
        asked = self.X, self.groups, self.context
        np.testing.assert_array_equal(self.model.predict(*asked), self.of_file(want, "mean")[:, 0])
        got = self.model.predict_quantiles(*asked, levels=[0.1, 0.5, 0.95])
        np.testing.assert_array_equal(got, self.of_file(want, "q0.1", "q0.5", "q0.95"))
        with self.assertRaisesRegex(ValueError, "found 0 draws"):
            self.model.sample(*asked, n=0)
        got = self.model.sample(*asked, n=3, seed=5)
        np.testing.assert_array_equal(got, self.of_file(want, "draw1", "draw2", "draw3"))
        want = data.predicted(*self.files, "--quantiles", "0.1,0.9", "--draws", "3", "--joint", "--seed", "5")
        np.testing.assert_array_equal(self.model.predict_interval(*asked, coverage=0.8), self.of_file(want, "q0.1", "q0.9"))
        got = self.model.sample(*asked, n=3, seed=5, joint=True)
        np.testing.assert_array_equal(got, self.of_file(want, "draw1", "draw2", "draw3"))

    def test_distribution(self):
        want = data.predicted(*self.files, "--cdf=200:300:3", "--exceed", "250", "--density=200:300:3", "--modes", "--hdr", "0.8")
        d = self.model.predict_distribution(self.X, self.groups, self.context)
        np.testing.assert_array_equal(d.mean(), self.of_file(want, "mean")[:, 0])
        np.testing.assert_array_equal(d.std(), self.of_file(want, "sd")[:, 0])
        levels = np.array([[0.25], [0.5], [0.75]])
        np.testing.assert_array_equal(d.ppf(levels).T, self.of_file(want, "q0.25", "q0.5", "q0.75"))
        # Both sum some hundred terms below 1, or of the density, in another order.
        at = np.array([[200.0], [250], [300]])
        np.testing.assert_allclose(d.cdf(at).T, self.of_file(want, "cdf200", "cdf250", "cdf300"), atol=1e-12)
        np.testing.assert_allclose(d.pdf(at).T, self.of_file(want, "density200", "density250", "density300"), rtol=1e-10)
        np.testing.assert_allclose(d.prob(above=250), self.of_file(want, "exceed250")[:, 0], atol=1e-12)
        by_group = {(r["product"], r["target"]): r for r in want}
        self.assertEqual([m.tolist() for m in d.modes()][1], by_group["a", 0]["modes"])
        self.assertEqual([r.tolist() for r in d.region(0.8)][1], by_group["a", 0]["hdr0.8"])
        want = data.predicted(*self.files, "--raw", "--cdf=200:300:3", "--quantiles", "0.2")
        np.testing.assert_allclose(d.raw().cdf(at).T, self.of_file(want, "cdf200", "cdf250", "cdf300"), atol=1e-12)
        np.testing.assert_array_equal(d.raw().ppf(0.2), self.of_file(want, "q0.2")[:, 0])

    def test_scores(self):
        y = [211.0, 300, 1 / 7 + 100, 250, 144]
        data.write("held.csv", ["product", "age", "price"], [(*r, v) for r, v in zip(ASKED, y)])
        out = data.command("score", "kettles.fit", "--context", "context.csv", "--targets", "held.csv", "--json", "--quiet")
        want, asked = json.loads(out), (self.X, y, self.groups, self.context)
        # The means are over the same five numbers.
        self.assertAlmostEqual(self.model.score(*asked), want["log_density"]["mean"], places=12)
        self.assertAlmostEqual(self.model.crps(*asked), want["crps"], places=12)
        d = self.model.predict_distribution(self.X, self.groups, self.context)
        np.testing.assert_allclose(d.logpdf(y), self.model.log_density(*asked), rtol=1e-12, atol=1e-12)
        got = means(self.groups, self.model._scores(*asked))
        self.assertEqual([got[k] for k in ("scored_targets", "coverage", "groups")], [want["scored_targets"], want["coverage"], len(want["per_group"])])
        for name in ("mean", "std_error"):
            self.assertAlmostEqual(got["log_density"][name], want["log_density"][name], places=12)

    def test_effects(self):
        said = json.loads(data.command("plot", "effects", "kettles.fit", "--json", "--quiet"))["targets"][0]
        got, want = self.model.effects(), [*said["columns"], said["known_points"]]
        self.assertEqual(got["loss"]["column"].tolist(), ["x0", "group"])
        for name in ("loss", "loss_se"):
            self.assertEqual(got["loss"][name].tolist(), [one[name] for one in want])
        self.assertEqual((got["changes"], got["scale"]), ({"x0": want[0]["change"]}, said["scale"]))
        self.assertEqual({k: v.tolist() for k, v in got["curves"]["x0"].items()}, {k: [p[k] for p in want[0]["points"]] for k in want[0]["points"][0]})

    def test_weighted_scores(self):
        asked = [[1.0], [2.0], [2.5], [3.0]], [300.0, 250.0, 200.0, 1e6], ["p01", "p01", None, "p02"]
        each = self.model.log_density(*asked)
        score = lambda weights: self.model.score(*asked, sample_weight=weights)  # noqa: E731
        self.assertEqual(score([1, 1, 1, 1]), self.model.score(*asked))
        self.assertAlmostEqual(score([7, 7, 0, 0]), np.mean(each[:2]), places=12)
        self.assertAlmostEqual(score(np.array([1, 3, 2, 0])), (each[0] + 3 * each[1]) / 4, places=12)
        for weights, mistake in (
            ([1, -1, 1, 1], "negative"),
            ([1, float("nan"), 1, 1], "NaN"),
            ([1, float("inf"), 1, 1], "infinite"),
            ([0, 0, 0, 0], "0 for all rows"),
            ([0, 0, 5, 0], "0 for all rows"),  # the third row is not scored
            ([1, 1, 1], r"the shape \(3,\), expected \(4,\)"),
            ([[1, 1, 1, 1]], "the shape"),
        ):
            with self.subTest(mistake), self.assertRaisesRegex(ValueError, "^sample_weight: found .*" + mistake):
                score(weights)

    def test_beyond_what_groups_calibrate(self):
        with self.assertWarnsRegex(UserWarning, "tail goes on: the quantile 0.001 of "):
            got = self.model.predict_quantiles(self.X, self.groups, self.context, levels=[0.001, 0.4])
        alone = self.model.predict_quantiles(self.X, self.groups, self.context, levels=[0.4])
        np.testing.assert_array_equal(got[:, 1:], alone)
        d = self.model.predict_distribution(self.X, self.groups, self.context)
        # Of probabilities, only where one lies there, as the command line warns.
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "beyond what")
            d.prob(above=d.median())
            d.cdf([[-np.inf], [np.inf]])
        for ask in (lambda: d.prob(above=1e9), lambda: d.cdf(np.array([[200.0], [-1e9]]))):
            with self.assertWarnsRegex(UserWarning, r"tail goes on: probabilities below 0\.02 and above 0\.98 of y \(24 groups: "):
                ask()
        far = np.array([[-1e9], [1e9]])
        np.testing.assert_allclose(d.cdf(far), [[0.0] * len(self.X), [1.0] * len(self.X)], atol=1e-12)
        np.testing.assert_allclose(d.cdf(got[:, 0]), 0.001, rtol=1e-6)  # quantiles are approximate to 1e-9 of a σ
        y = np.array([[100.0], [211], [400], [3000]])
        np.testing.assert_allclose(d.cdf(y) + d.sf(y), 1, atol=1e-12)
        self.assertTrue(np.all(d.sf(1e5) > 0) or np.all(d.raw().sf(1e5) == 0))


class LeftOut(unittest.TestCase):
    """The program leaves out rows without y or a group, as it does of a file, and says so in its words."""

    def test_rows_without_y_or_group(self):
        rows = data.kettles(groups=12)
        gone = [("p00", 1.0, None), (None, 2.0, 300.0), ("p01", 3.0, None), (None, 4.0, None)]
        rows = [*gone[:2], *((r[0], r[1], r[4]) for r in rows), *gone[2:]]
        data.write("gaps.csv", ["group", "x0", "y"], rows)
        theirs = json.loads(data.command("fit", "gaps.csv", "y ~ x0 | group", "--instant", "--no-picture", "--json", "--quiet", "--out", "gaps.fit"))
        line = "left out 4 of 100 rows, without a value of y (3), group (2)"
        for weights in None, [np.nan, 1, *[1] * 96, 1, np.nan]:
            with self.subTest(weights), self.assertWarnsRegex(UserWarning, "^data: " + line.replace("(", r"\(").replace(")", r"\)") + "$"):
                y = [np.nan if r[2] is None else r[2] for r in rows]
                model = GroupedRegressor(instant=True).fit([[r[1]] for r in rows], y, [r[0] for r in rows], row_weights=weights)
            self.assertIn("data: " + line, model.summary_["warnings"])
        self.assertIn("gaps.csv: " + line, theirs["warnings"])
        fit = json.loads(GroupedRegressor(instant=True).fit([[r[1]] for r in rows], y, [r[0] for r in rows]).run_["fit.json"])
        self.assertEqual(fit["stacks"], json.loads((data.folder() / "gaps.fit/fit.json").read_bytes())["stacks"])


class CrossValidation(unittest.TestCase):
    """Whole groups are held out, some points of each are known, and the program scores the others."""

    def test_groups_are_held_out(self):
        asked = []

        class Recorded(GroupedRegressor):
            def fit(self, X, y, groups):
                asked.append([(X, y, groups)])
                return super().fit(X, y, groups)

            def _scores(self, *words):
                asked[-1] += [words]
                return super()._scores(*words)

        rows = data.kettles(groups=12)
        x, y, groups = [[r[1]] for r in rows], [r[4] for r in rows], [r[0] for r in rows]
        x, y, groups = [*x, [1.0], [2.0], [3.0]], [*y, 200.0, 150.0, float("nan")], [*groups, "few", "few", "none"]
        with self.assertWarns(UserWarning) as warned:
            got = cross_validate(Recorded(instant=True, seed=3), x, [[v] for v in y], groups, known=2, folds=2)
        said = [str(w.message) for w in warned.warnings]
        self.assertEqual(sum("A column-vector y" in line for line in said), 1)
        self.assertIn("data: left out 1 of 99 rows, without y or a group", said)
        self.assertIn("left 1 of 13 groups out of the scores: they have 2 points or fewer, all known", said)
        self.assertEqual(([w.filename for w in warned.warnings], len(asked)), ([__file__] * len(said), 2))
        scored = []
        for (fit, (*targets, context)), fold in zip(asked, got["folds"]):
            self.assertEqual({*fit[2]} | {*targets[2]}, {*groups} - {"none"})
            self.assertFalse({*fit[2]} & {*targets[2], *context[2]})
            self.assertEqual(sorted(context[2]), sorted(2 * [*{*targets[2]}]))
            self.assertEqual((fold["groups"], fold["scored_targets"]), (6, 36))
            scored += zip(*targets)
            scored += zip(*context)
        self.assertCountEqual(scored, list(zip(x, y, groups))[:96])
        fit, (*targets, context) = asked[0]
        density = GroupedRegressor(instant=True, seed=3).fit(*fit).log_density(*targets, context)
        self.assertAlmostEqual(got["folds"][0]["log_density"]["mean"], density.mean(), places=12)
        for of in (lambda one: one["log_density"]["mean"], lambda one: one["crps"], lambda one: one["coverage"]["0.9"]):
            self.assertAlmostEqual(of(got), np.mean([of(fold) for fold in got["folds"]]), places=12)
        self.assertEqual((got["groups"], got["scored_targets"], got["impossible_y"]), (12, 72, 0))

    def test_mistakes(self):
        x, y, groups = [[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 4.0], ["a", "a", "b", "b"]
        for mistake, error, call in (
            ("another model", "model: found str", lambda: cross_validate("instant", x, y, groups)),
            ("no groups", "4 rows of X, 4 of y and 0 of groups", lambda: cross_validate(GroupedRegressor(), x, y, None)),
            ("few points", "2 folds of 0 groups with more than 3 points", lambda: cross_validate(GroupedRegressor(), x, y, groups, folds=2)),
            ("few groups", "5 folds of 2 groups", lambda: cross_validate(GroupedRegressor(), x, y, groups, known=1)),
        ):
            with self.subTest(mistake), self.assertRaisesRegex(ValueError, error):
                call()


class Contexts(unittest.TestCase):
    """Which points are known."""

    @classmethod
    def setUpClass(cls):
        cls.rows, cls.model = data.fitted()

    def test_known_and_unknown_groups_together(self):
        X, groups = split(ASKED)
        context = [[0.5], [3.0]], [278.25, 185.0], ["a", "a"]
        got = self.model.predict(X, groups, context)
        known, new = [g == "a" for g in groups], [g != "a" for g in groups]
        X, groups = np.array(X), np.array(groups)
        np.testing.assert_array_equal(got[known], self.model.predict(X[known], groups[known], context))
        np.testing.assert_array_equal(got[new], self.model.predict(X[new], groups[new]))
        np.testing.assert_array_equal(got[new], self.model.as_new().predict(X[new]))
        self.assertTrue(np.ptp(got) > 10)

    def test_the_rows_of_the_training_are_the_context_of_its_groups(self):
        p03 = [r for r in self.rows if r[0] == "p03"]
        context = [[r[1]] for r in p03], [r[4] for r in p03], ["p03"] * len(p03)
        got = self.model.predict([[1.0], [2.0]], ["p03", "new"])
        want = self.model.predict([[1.0]], ["p03"], context)[0], self.model.predict([[2.0]])[0]
        self.assertEqual(tuple(got), want)
        self.assertNotEqual(got[0], self.model.as_new().predict([[1.0]], ["p03"])[0])
        self.assertEqual(self.model.as_new().predict([[1.0]], ["p03"], context)[0], got[0])
        both = [[*context[0], [1.5]], [*context[1], 300.0], ["p03"] * (len(p03) + 1)]
        self.assertEqual(*(self.model.predict([[1.0]], ["p03"], c)[0] for c in (([[1.5]], [300.0], ["p03"]), both)))
        self.model.save(data.folder() / "saved")
        self.assertEqual(GroupedRegressor.load(data.folder() / "saved").predict([[1.0]], ["p03"])[0], got[0])

    def test_no_rows_are_kept(self):
        self.assertIn("p03", self.model.run_["fit.json"].decode())
        model, X, groups = GroupedRegressor(instant=True, no_rows=True), [[r[1]] for r in self.rows], [r[0] for r in self.rows]
        with self.assertWarnsRegex(UserWarning, "pretrained network.* no_rows keeps none"):
            model.fit(X, [r[4] for r in self.rows], groups)
        for held in (model.run_["fit.json"], pickle.dumps(model)):
            self.assertNotIn(b"p03", held)
        with self.assertWarnsRegex(UserWarning, "keeps no rows .no_rows.: what is known"):
            got = model.predict([[1.0]], ["p03"])
        np.testing.assert_array_equal(got, model.predict([[1.0]]))
        self.assertNotEqual(got[0], model.predict([[1.0]], ["p03"], ([[2.0]], [100.0], ["p03"]))[0])
        for call, said in ((model.effects, "^found a fit without rows of its data, expected one without no_rows"), (model.plot, "found no known points to draw")):
            with self.assertRaisesRegex(ValueError, said):
                call()

    def test_misspelled_groups(self):
        context = [[0.5], [3.0]], [278.25, 185.0], ["kettle", "desk"]
        with self.assertWarnsRegex(UserWarning, r"no known point of 1 group \(Kettle\).*\(Kettle is near kettle\); of .*kettle.* there are points and no targets") as warned:
            self.model.predict([[1.0]], ["Kettle"], context)
        self.assertEqual(warned.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.model.predict([[1.0]], ["kettle"], context)

    def test_the_fit_is_read_once(self):
        self.assertIs(self.model._fit().levels, pickle.loads(pickle.dumps(self.model))._fit().levels)

    def test_one_context_without_groups(self):
        known = [[0.5], [3.0]], [278.25, 185.0]
        got = self.model.predict([[1.0], [2.0]], context=known)
        np.testing.assert_array_equal(got, self.model.predict([[1.0], [2.0]], ["a", "a"], (*known, ["a", "a"])))
        with self.assertRaisesRegex(ValueError, "only one"):
            self.model.predict([[1.0]], ["a"], context=known)

    def test_without_groups_all_rows_are_one(self):
        x = np.linspace(0, 6, 60)[:, None]
        y = np.sin(x[:, 0]) + np.random.default_rng(0).normal(0, 0.1, 60)
        model = GroupedRegressor(instant=True).fit(x, y)
        self.assertLess(np.abs(model.predict(x) - np.sin(x[:, 0])).mean(), 0.15)
        with self.assertRaisesRegex(ValueError, "fit had none"):
            model.predict(x, groups=["a"] * 60)


class Nested(unittest.TestCase):
    """Groups in groups: the numbers of the command line, for known and unknown classes and schools in one call."""

    def test_classes_in_schools(self):
        header, rows = ["school", "class", "hours", "score"], []
        for i in range(96):
            school, hours = f"s{i // 12}", float(i % 4)
            rows.append((school, i // 4 % 3, hours, 10.0 * (i // 12 * 7 % 5) + 3 * (i // 4 % 3) + hours + i * i % 3))
        data.write("schools.csv", header, rows)
        data.command("fit", "schools.csv", "score ~ hours | school/class", "--instant", "--out", "schools.fit", "--quiet", "--no-picture")
        pairs = [r[:2] for r in rows]
        model = GroupedRegressor(instant=True).fit([[r[2]] for r in rows], [r[3] for r in rows], pairs)
        self.assertEqual(model._fit().grouped_by, ["outer", "group"])
        # A class of the data, a new one of a known school, one of which a sister is known, and one of which nothing is.
        known = [("new", "a", 1.0, 31.0), ("new", "a", 2.0, 33.5), ("s1", 7, 1.0, 20.0)]
        asked = [("s1", 0, 1.0), ("s1", 7, 1.0), ("new", "b", 1.0), ("other", "a", 1.0)]
        data.write("known.csv", header, known)
        data.write("asked.csv", header[:3], asked)
        context = [[r[2]] for r in known], [r[3] for r in known], [r[:2] for r in known]
        X, groups = [[r[2]] for r in asked], [r[:2] for r in asked]
        for flags, one in (([], model), (["--as-new"], model.as_new())):
            want = data.predicted("schools.fit", "--context", "known.csv", "--targets", "asked.csv", *flags)
            got = one.predict(X, groups, context)
            np.testing.assert_array_equal(got, [r["mean"] for r in want])
            self.assertEqual(len(set(got)), 4)
        np.testing.assert_array_equal(model.predict(X, np.array(groups, dtype=object), context), model.predict(X, groups, context))
        np.testing.assert_array_equal(model.predict(X), [model.predict(X, [("other", "a")] * 4)[0]] * 4)
        for wrong in (["s1"] * 4, [("s1", 0, 1)] * 4):
            with self.assertRaisesRegex(ValueError, "^groups: found"):
                model.predict(X, wrong)


@unittest.skipIf(pandas is None, "no pandas")
class Crossed(unittest.TestCase):
    """Crossed names: the numbers of the command line, whatever the place of their column."""

    def test_subjects_and_items(self):
        header, rows = ["subject", "item", "x", "rt"], []
        for i in range(120):
            rows.append((f"s{i // 8}", 100 + (i * 7 + i // 8) % 12, i * i % 7 / 7, (i // 8 * 7 % 5) + 3.0 * ((i * 7 + i // 8) % 12 % 4) + i * i % 3 / 3))
        known = [("new", 100, 0.0, 4.0), ("new", 999, 0.5, 9.0), ("other", 999, 0.5, 8.0)]
        asked = [("new", 101, 0.0), ("new", 999, 0.0), ("new", None, 0.0), ("s1", 102, 0.5)]
        data.write("items.csv", header, rows)
        data.write("known-items.csv", header, known)
        data.write("asked-items.csv", header[:3], [r for r in asked if r[1]])
        data.command("fit", "items.csv", "rt ~ x | subject + item", "--instant", "--out", "items.fit", "--quiet", "--no-picture")
        want = [r["mean"] for r in data.predicted("items.fit", "--context", "known-items.csv", "--targets", "asked-items.csv")]
        frame = lambda all: pandas.DataFrame(all, columns=header[: len(all[0])])[["item", *header[2 : len(all[0])], "subject"]]  # noqa: E731
        train, context, targets = frame(rows), frame(known), frame(asked)
        x = ["item", "x"]
        model = GroupedRegressor(instant=True).fit(train[[*x, "subject"]], train.rt, groups="subject + item")
        self.assertEqual(model.summary_["crossed"], "item")
        model.save(data.folder() / "py-items.fit")
        for one in (model, GroupedRegressor.load(data.folder() / "py-items.fit")):
            order = x if one is model else ["x", "item"]
            got = one.predict(targets[order], targets.subject, (context[order], context.rt, context.subject))
            np.testing.assert_array_equal(got, [*want[:2], np.nan, want[2]])
        with self.assertRaisesRegex(ValueError, "expected that of a column of X, 'school/class' or 'subject \\+ item'"):
            model.fit(train, train.rt, groups="subject + item + x")


class Draws(unittest.TestCase):
    def test_rvs_are_of_the_mixture(self):
        _, model = data.fitted()
        d = model.predict_distribution([[1.0], [3.0], [4.0]], ["p01", "p02", "new"])
        draws = d.rvs(4000, random_state=1)
        self.assertEqual(draws.shape, (4000, 3))
        np.testing.assert_array_equal(draws, d.rvs((4000,), random_state=1))
        # Of 4000 draws the share below a quantile has a standard deviation of at most 0.008.
        shares = (draws <= d.raw().ppf([[0.2], [0.7]])[:, None, :]).mean(axis=1)
        np.testing.assert_allclose(shares, [[0.2] * 3, [0.7] * 3], atol=0.035)

    def test_levels_of_their_own(self):
        """NumPy computes the quantiles of many rows with levels of their own, as the program does those of few."""
        _, model = data.fitted()
        n = 108
        d = model.predict_distribution(np.linspace(0.2, 4.8, n)[:, None], [f"p{i % 20:02d}" if i % 7 else None if i % 2 else "new" for i in range(n)])
        q = np.random.default_rng(0).uniform(0.03, 0.97, (2, n))
        for one in (d, d.raw()):
            parts = [one[i : i + 18].ppf(q[:, i : i + 18]) for i in range(0, n, 18)]
            np.testing.assert_allclose(one.ppf(q), np.hstack(parts), rtol=1e-8)
        q[0, 0] = 0.001
        with self.assertWarnsRegex(UserWarning, "tail goes on: the quantile 0.001 of "):
            d.ppf(q)
        with self.assertRaisesRegex(ValueError, "expected numbers between 0 and 1"):
            d.ppf(q + 0.5)
        many = np.linspace(0.03, 0.97, 2500)[:, None]  # more than a command line holds everywhere
        np.testing.assert_array_equal(d[1].ppf(many)[::500], d[1].ppf(many[::500]))

    def test_rows_of_a_distribution(self):
        _, model = data.fitted()
        d = model.predict_distribution([[1.0], [3.0], [4.0]], ["p01", "p02", "new"])
        for part, rows in ((d[1:], [1, 2]), (d[[True, False, True]], [0, 2]), (d[1], [1])):
            self.assertEqual(len(part), len(rows))
            np.testing.assert_array_equal(part.median(), d.median()[rows])
            np.testing.assert_array_equal(part.sf([[100.0], [200.0]]), d.sf([[100.0], [200.0]])[:, rows])
        self.assertEqual(d.interval(0.5)[0].shape, (3,))
        density = np.linspace(-2000, 3000, 20001)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mass = d.pdf(density[:, None]).sum(axis=0) * 0.25
        np.testing.assert_allclose(mass, 1, atol=0.01)  # the rest lies beyond


if __name__ == "__main__":
    unittest.main()
