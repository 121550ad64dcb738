"""Tables of NumPy, pandas and polars, and what their cells may be."""

import datetime
import decimal
import re
import unittest
import warnings

import numpy as np

from . import data
from acqnp import GroupedRegressor, _cells, cross_validate, limits

try:
    import pandas
except ImportError:
    pandas = None
try:
    import polars
except ImportError:
    polars = None


def columns():
    product, age, day, kind, price = zip(*data.kettles())
    return {"age": list(age), "sold on": list(day), "kind": list(kind), "price": list(price), "product": list(product)}


class Frames(unittest.TestCase):
    """The same numbers from all kinds of tables, in the kind that was given."""

    @classmethod
    def setUpClass(cls):
        cls.columns = columns()
        x = np.array([cls.columns[c] for c in ("age", "sold on", "kind")], dtype=object).T
        cls.model = GroupedRegressor(instant=True).fit(x, cls.columns["price"], groups=cls.columns["product"])
        cls.asked = np.array([[1.0, "2024-03-02", "new"], [2.5, "2024-03-12", "used"], [2.5, "2024-03-12", "never seen"]], dtype=object)
        cls.want = cls.model.predict(cls.asked, ["p01", "p01", "other"])

    def test_names_and_dates_count(self):
        moved = self.asked.copy()
        moved[:, 2] = "used"
        got = self.model.predict(moved, ["p01", "p01", "other"])
        self.assertLess(got[0], self.want[0] - 20)  # used kettles are sold at 80%
        self.assertEqual(got[1], self.want[1])

    def check_frame(self, frame, model, rows):
        got = model.predict(frame, groups="product")
        self.assertIs(type(got), rows)
        self.assertEqual(got.name, "price")
        np.testing.assert_array_equal(got.to_numpy(), self.want)
        quantiles = model.predict_quantiles(frame, groups="product", levels=[0.1, 0.9])
        self.assertIs(type(quantiles), type(frame))
        self.assertEqual(list(quantiles.columns), ["q0.1", "q0.9"])
        self.assertEqual(list(model.predict_interval(frame, "product").columns), ["low", "high"])
        self.assertEqual(list(model.sample(frame, "product", n=2).columns), ["draw1", "draw2"])
        return got, quantiles

    def of(self, make):
        x = make({k: v for k, v in self.columns.items() if k != "price"})
        asked = make({"age": [1.0, 2.5, 2.5], "sold on": ["2024-03-02", "2024-03-12", "2024-03-12"], "kind": ["new", "used", "never seen"], "product": ["p01", "p01", "other"]})
        return x, asked

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_pandas(self):
        x, asked = self.of(pandas.DataFrame)
        x["sold on"], asked["sold on"] = pandas.to_datetime(x["sold on"]), pandas.to_datetime(asked["sold on"])
        x["kind"] = x["kind"].astype("category")
        asked.index = [10, 20, 30]
        model = GroupedRegressor(instant=True).fit(x, pandas.Series(self.columns["price"], name="price"), groups="product")
        got, quantiles = self.check_frame(asked, model, pandas.Series)
        self.assertEqual(list(got.index), [10, 20, 30])
        self.assertEqual(list(quantiles.index), [10, 20, 30])
        self.assertEqual(list(model.feature_names_in_), ["age", "sold on", "kind"])
        with self.assertRaisesRegex(ValueError, "feature names should match"):
            model.predict(asked.rename(columns={"age": "years"}), groups="product")

    def check_nested(self, make):
        """Two columns name groups in groups, whether they are named or given."""
        x, asked = self.of(make)
        keep = ["age", "kind", "product"]
        x, asked = x[keep], asked[keep]
        model = GroupedRegressor(instant=True).fit(x, self.columns["price"], groups="kind / product")
        self.assertEqual(model._fit().grouped_by, ["kind", "product"])
        ages = lambda t: t[["age"]]  # noqa: E731
        other = GroupedRegressor(instant=True).fit(ages(x), self.columns["price"], groups=x[["kind", "product"]])
        self.assertEqual(other.run_, model.run_)
        np.testing.assert_array_equal(model.predict(asked, "kind/product"), other.predict(ages(asked), asked[["kind", "product"]]))
        with self.assertRaisesRegex(ValueError, "found the name 'kind/shop'"):
            model.predict(asked, "kind/shop")

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_pandas_nested(self):
        self.check_nested(pandas.DataFrame)

    @unittest.skipUnless(polars, "there is no polars")
    def test_polars_nested(self):
        self.check_nested(polars.DataFrame)

    @unittest.skipUnless(polars, "there is no polars")
    def test_polars(self):
        x, asked = self.of(polars.DataFrame)
        day = polars.col("sold on").str.to_date()
        x, asked = x.with_columns(day, polars.col("kind").cast(polars.Categorical)), asked.with_columns(day)
        model = GroupedRegressor(instant=True).fit(x, polars.Series("price", self.columns["price"]), groups="product")
        self.check_frame(asked, model, polars.Series)


class Cells(unittest.TestCase):
    def test_missing_values(self):
        _, whole = data.fitted()
        rows = data.kettles()
        x = [[r[1]] for r in rows] + [[1.0], [2.0]]
        y = [r[4] for r in rows] + [float("nan"), 100.0]
        groups = [r[0] for r in rows] + ["p00", None]
        model = GroupedRegressor(instant=True, seed=3).fit(x, y, groups)
        self.assertEqual(model.run_, whole.run_)
        got = model.predict([[1.0], [float("nan")], [2.0]], ["p00", "p00", None])
        self.assertEqual(np.isnan(got).tolist(), [False, False, True])
        d = model.predict_distribution([[1.0], [2.0]], ["p00", None])
        for values in (d.mean(), d.median(), d.cdf(100), d.pdf(100), d.rvs(random_state=0), d.prob(above=90, upto=100)):
            self.assertEqual(np.isnan(values).tolist(), [False, True])
        self.assertEqual((len(d.modes()[1]), d.region()[1].shape), (0, (0, 2)))
        scored = [[1.0], [1.0]], [250.0, float("nan")], ["p00", "p00"]
        self.assertEqual(model.score(*scored), model.score(*(s[:1] for s in scored)))

    def test_missing_cells_are_values(self):
        rows = data.kettles()
        x = [[r[1], None if i % 4 == 0 else r[3]] for i, r in enumerate(rows)]
        model = GroupedRegressor(instant=True).fit(x, [r[4] for r in rows], [r[0] for r in rows])
        self.assertIn(f"{sum(v[1] is None for v in x)} of x1; each gets the median", " ".join(model.summary_["warnings"]))
        self.assertTrue(np.isfinite(model.predict([[1.0, None], [float("nan"), "new"]], ["p01", "p01"])).all())

    def test_row_weights(self):
        rows, plain = data.fitted()
        x, y, groups = [[r[1]] for r in rows], [r[4] for r in rows], [r[0] for r in rows]
        model = GroupedRegressor(instant=True, seed=3).fit([*x, [9.0]], [*y, 0.0], [*groups, "p00"], row_weights=[1] * len(x) + [0])
        np.testing.assert_allclose(model.predict([[1.0]], ["p01"]), plain.predict([[1.0]], ["p01"]), rtol=1e-6)
        self.assertEqual((model.summary_["row_weights"], model.summary_["rows"]), ("weight", len(rows)))
        table = model.summary_["table"]
        self.assertEqual((table["coefficients"][1]["name"], table["rows"], table["method"]), ("x0", len(rows), "REML"))
        with self.assertRaisesRegex(ValueError, "row_weights: found 1 weights"):
            GroupedRegressor().fit(x, y, groups, row_weights=[1])
        with self.assertRaisesRegex(ValueError, "a row weight: a number of 0 or more"):
            GroupedRegressor(instant=True).fit(x, y, groups, row_weights=[-1] * len(x))

    def test_names(self):
        rows = data.kettles()
        x, y, groups = [[r[1]] for r in rows], ["dear" if r[4] > 250 else "cheap" for r in rows], [r[0] for r in rows]
        model = GroupedRegressor(instant=True).fit(x, y, groups)
        self.assertIn("the name cheap is 0 and dear is 1, so the mean is the probability of dear", " ".join(model.summary_["warnings"]))
        self.assertEqual(model.summary_["targets"][0]["names"], ["cheap", "dear"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cheap, dear, one = (model.predict([[1.0]], ["one"], context=([[2.0]], [known], ["one"]))[0] for known in ("cheap", "dear", 1))
            self.assertTrue(0 < cheap < dear == one < 1)
            self.assertTrue(np.isfinite(model.as_new().log_density(x[:8], y[:8], groups[:8])).all())
        with self.assertRaisesRegex(ValueError, "expected cheap or dear"):
            model.predict([[1.0]], ["one"], context=([[2.0]], ["old"], ["one"]))
        self.assertEqual(limits([50, 7.5, 9, None], ["left", 1, "None", -1.0]), ["<=50.0", ">=7.5", 9, None])
        with self.assertRaisesRegex(ValueError, "found 'event', expected"):
            limits([1, 2], ["event", 0])
        with self.assertRaisesRegex(ValueError, "found '', expected"):
            limits([1], [None])
        with self.assertRaisesRegex(ValueError, "found 'true', expected .*use 1 and 0"):
            limits([1.0], np.array([True]))

    def test_limits(self):
        rows = data.kettles()
        x, groups = [[r[1]] for r in rows], [r[0] for r in rows]
        y = [r[4] if r[4] > 250 else "<250" for r in rows]
        model = GroupedRegressor(instant=True).fit(x, y, groups)
        self.assertIn(f"limits of y, such as <50 and >200: {y.count('<250')} below and 0 above, of {len(y)}", " ".join(model.summary_["warnings"]))
        asked = [model.predict([[1.0]], ["one"], context=([[2.0]], [known], ["one"]))[0] for known in ("< 100", "<250", 250.0)]
        self.assertEqual(asked, sorted(asked))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            new = model.as_new()
            found, crps = new.log_density(x[:8], y[:8], groups[:8]), new.crps(x[:8], y[:8], groups[:8])
        self.assertTrue(np.isfinite([*found, crps]).all())
        self.assertIn(f"{y[:8].count('<250')} of 8 targets of y are limits", " ".join(str(w.message) for w in said))
        if pandas is not None:
            same = GroupedRegressor(instant=True).fit(x, pandas.Series(y, dtype=object), groups)
            self.assertEqual(same.predict([[1.0]], ["p01"]), model.predict([[1.0]], ["p01"]))
        with self.assertRaisesRegex(ValueError, "y: could not convert string to float.*expected numbers"):
            GroupedRegressor(instant=True).fit(x, ["<250", "low"] * (len(x) // 2), groups)

    def test_awkward_names_of_groups(self):
        rows, plain = data.fitted()
        renamed = {f"p{g:02d}": name for g, name in enumerate(["NA", "", " a", "a", 1, '"', 'b"', "c,d", datetime.date(2024, 3, 1), "None"])}
        groups = [renamed.get(r[0], r[0]) for r in rows]
        model = GroupedRegressor(instant=True, seed=3).fit([[r[1]] for r in rows], [r[4] for r in rows], groups)
        nameless = lambda m: re.sub(rb'"name":"(\\.|[^"\\])*"', b"", m.run_["fit.json"])  # noqa: E731
        self.assertEqual(nameless(model), nameless(plain))
        asked = list(renamed)
        np.testing.assert_array_equal(
            model.predict([[1.0]] * len(asked), [renamed[g] for g in asked]), plain.predict([[1.0]] * len(asked), asked)
        )
        # Numbers name one group, however they are spelled: pandas makes floats of whole numbers beside a missing one.
        spelled = [1, 1.0, np.float32(1), "1", "1.0", decimal.Decimal("1.00")]
        self.assertEqual(len(set(model.predict([[1.0]] * 7, [*spelled, "a"]))), 2)
        context = [[0.5]] * 6, [300.0] * 6, spelled
        got = model.predict_distribution([[1.0], [1.0]], [1.0, "a"], context)
        self.assertEqual([row["known_context"] for row in got._load()], [6, 0])

    def test_columns_without_use(self):
        rows, plain = data.fitted()
        x = [[7.0, r[1], np.nan, "used" if r[3] == "used" else None, 1.5 if r[3] == "used" else None] for r in rows]
        lines = ["x0, which has one value", "x2, which has no value"]
        lines += ["x3, which has one value beside missing cells (fill these with a name, such as 'none')", "x4, which has one value beside missing cells"]
        with self.assertWarns(UserWarning) as warned:
            model = GroupedRegressor(instant=True, seed=3).fit(np.array(x, dtype=object), [r[4] for r in rows], [r[0] for r in rows])
        lines = ["X: left out " + line for line in lines]
        self.assertEqual([str(w.message) for w in warned.warnings if "X: " in str(w.message)], lines)
        self.assertEqual((model.summary_["warnings"][-4:], warned.filename), (lines, __file__))
        np.testing.assert_array_equal(model.predict([[1.0, 2.0, 3.0, None, None]], ["p01"]), plain.predict([[2.0]], ["p01"]))

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_numbers_as_names(self):
        rows = data.kettles()
        shop = pandas.Series([3 if r[3] == "new" else 8 for r in rows])
        frames = [pandas.DataFrame({"age": [r[1] for r in rows], "shop": s}) for s in (shop.astype("category"), "shop " + shop.astype(str))]
        y, groups = [r[4] for r in rows], [r[0] for r in rows]
        category, text = (GroupedRegressor(instant=True).fit(f, y, groups) for f in frames)
        asked = pandas.DataFrame({"age": [1.0, 1.0, 1.0], "shop": [3, 8.0, 9]})
        want = text.predict(pandas.DataFrame({"age": [1.0] * 3, "shop": ["shop 3", "shop 8", "shop 9"]}))
        np.testing.assert_array_equal(category.predict(asked), want)
        self.assertGreater(want[0] - want[1], 20)
        # Texts that say numbers are these, in X of training and of predictions.
        said, number = (GroupedRegressor(instant=True).fit(frames[0].assign(shop=shop.astype(t)), y, groups) for t in (str, int))
        self.assertEqual(said.run_, number.run_)
        category.save(data.folder() / "shops.fit")  # which keeps that the column has names
        np.testing.assert_array_equal(GroupedRegressor.load(data.folder() / "shops.fit").predict(asked), want)

    def test_strings_are_names(self):
        rows = data.kettles()
        arms = [("None" if r[3] == "new" else "") if i % 9 else None for i, r in enumerate(rows)]
        model = GroupedRegressor(instant=True).fit([[r[1], a] for r, a in zip(rows, arms)], [r[4] for r in rows], [r[0] for r in rows])
        self.assertIn(f"{arms.count(None)} of x1; each gets", " ".join(model.summary_["warnings"]))
        new, used, missing = model.predict([[1.0, "None"], [1.0, ""], [1.0, None]], ["p01"] * 3)
        self.assertGreater(new - used, 20)  # used kettles are sold at 80%
        self.assertTrue(used < missing < new)

    def test_cells(self):
        self.assertEqual(_cells.cells(["NA", "", " ", " a", "3", None, float("nan"), 2.0, 2.5, True, datetime.date(2024, 3, 1)]),
            ["NA", '""', '" "', '" a"', "3", None, None, 2, 2.5, True, "2024-03-01"])
        self.assertEqual(_cells.cells(np.array([1.0, np.nan, 0.1])), [1, None, 0.1])
        self.assertEqual(_cells.labels([1, 1.0, "1.0", "01", True, "True", None, 1e22]), ["1", "1", "1", "01", "true", "True", None, "1e+22"])
        pairs = [("a", 1), ["b", None], ("b", 1.0)]
        self.assertEqual(_cells.labels([None, *pairs, float("nan")]), [None, ("a", "1"), None, ("b", "1"), None])
        for wrong in "ab", ("a",), ("a", 1, 2):
            with self.assertRaisesRegex(ValueError, "^groups: found .*, expected pairs"):
                _cells.labels([("a", 1), wrong])
        if pandas:
            self.assertEqual(_cells.cells(pandas.Series(["NA", pandas.NA, None, pandas.NaT], dtype=object)), ["NA", None, None, None])
            self.assertEqual(_cells.cells(pandas.Categorical(["null", None, "nan"])), ["null", None, "nan"])
            self.assertEqual(_cells.cells(pandas.Series([True, None], dtype="boolean")), [True, None])
            self.assertEqual(_cells.cells(pandas.to_datetime(pandas.Series(["2024-03-01", None]))), ["2024-03-01T00:00:00", None])

    def test_missing_cells_among_texts(self):
        """NumPy makes a text of NaN beside texts."""
        _, columns, _ = _cells.columns([[1.0, "a", True], [2.0, float("nan"), None]])
        self.assertEqual(columns, [[1, 2], ["a", None], [True, None]])
        for read in (_cells.labels, _cells.cells):
            with self.assertWarnsRegex(UserWarning, "^found the name 'nan' in an array of texts; .* dtype=object keeps it") as warned:
                self.assertEqual(read(np.array(["a", float("nan")])), ["a", "nan"])
            self.assertEqual(warned.filename, __file__)

    def test_dates_and_spans_of_numpy(self):
        days = np.array(["2024-01-01", "NaT"], "datetime64[ns]")
        want = ["2024-01-01T00:00:00", None]
        for dates in [days, list(days), days.astype("datetime64[s]")] + ([pandas.Series(days)] if pandas else []):
            self.assertEqual((_cells.labels(dates), _cells.cells(dates)), (want, want))
        self.assertEqual(_cells.labels(np.array([days[:1], days[:1]]).T), [(want[0], want[0])])
        spans = np.array([[1], [2]], "timedelta64[ns]")
        tables = [(spans, "x0"), (spans.astype("timedelta64[s]").tolist(), "x0")] + ([(pandas.DataFrame(spans, columns=["took"]), "took")] if pandas else [])
        for table, name in tables:
            with self.assertRaisesRegex(ValueError, f"^X: {name}: found a span of time, expected a number, such as .*total_seconds"):
                GroupedRegressor().fit(table, [1.0, 2.0])

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_columns_that_a_formula_cannot_name(self):
        rows = data.kettles()
        frame = pandas.DataFrame({"log(age)": [r[1] for r in rows], "a + b": [r[1] ** 2 for r in rows]})
        y = pandas.Series([r[4] for r in rows], name="price | €")
        model = GroupedRegressor(instant=True).fit(frame, y, [r[0] for r in rows])
        self.assertEqual(len(model.predict(frame[:2])), 2)

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_names_that_are_no_texts(self):
        rows, plain = data.fitted()
        frame = pandas.DataFrame({0: [r[1] for r in rows], 1: [r[4] for r in rows], ("a", "b"): [r[0] for r in rows]})
        model = GroupedRegressor(instant=True, seed=3).fit(frame[[0]], frame[1], groups=frame[("a", "b")])
        self.assertEqual(model.run_, plain.run_)
        schools = pandas.DataFrame({0: ["s" + r[0][1] for r in rows], 1: [r[0] for r in rows]})
        nested = GroupedRegressor(instant=True, seed=3).fit(frame[[0]], frame[1], groups=schools)
        self.assertEqual(nested._fit().grouped_by, ["outer", "group"])

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_columns_of_x_keep_their_names(self):
        rows = data.kettles()
        frame = pandas.DataFrame({"y": [r[1] for r in rows], "group": [float(r[3] == "used") for r in rows]})
        price, product = (pandas.Series([r[k] for r in rows]) for k in (4, 0))
        for y, groups, names in ((price, product, ["y_", "group_"]), (price.rename("price"), product.rename("y"), ["price", "group_"])):
            model = GroupedRegressor(instant=True).fit(frame, y, groups)
            self.assertEqual([model._y_name(), *model._fit().grouped_by], names)
            self.assertEqual([c["name"] for c in model.summary_["table"]["coefficients"][1:]], ["y", "group"])
        model.save(data.folder() / "named.fit")
        loaded = GroupedRegressor.load(data.folder() / "named.fit")
        np.testing.assert_array_equal(loaded.predict(frame[:2], product[:2]), model.predict(frame[:2], product[:2]))


class Rows(unittest.TestCase):
    def test_take(self):
        tables = [["a", "b", "c"], np.array(["a", "b", "c"])] + [m.Series(["a", "b", "c"]) for m in (pandas, polars) if m]
        tables += [np.array([[v] for v in "abc"])] + [m.DataFrame({"v": ["a", "b", "c"]}) for m in (pandas, polars) if m]
        for table in tables:
            got = _cells.take(table, [2, 0])
            self.assertIs(type(got), type(table))
            self.assertEqual(np.asarray(got).ravel().tolist(), ["c", "a"])


@unittest.skipUnless(pandas, "there is no pandas")
class Indices(unittest.TestCase):
    """Rows of pandas are never matched by position if their labels are others, or stand in another order."""

    def test_refused(self):
        rows, model = data.fitted()
        x, y = pandas.DataFrame({"age": [r[1] for r in rows]}), pandas.Series([r[4] for r in rows])
        groups = pandas.Series([r[0] for r in rows])
        moved = lambda s: s.sample(frac=1, random_state=2)  # noqa: E731
        new = GroupedRegressor(instant=True)
        context = x[:3], y[:3], groups[:3]
        for who, call in (
            ("y", lambda: new.fit(x, moved(y), groups)),
            ("groups", lambda: new.fit(x, y, moved(groups))),
            ("groups", lambda: new.fit(x.to_numpy(), y, moved(groups))),
            ("groups", lambda: new.fit(x, y, moved(groups).to_frame())),
            ("row_weights", lambda: new.fit(x, y, groups, row_weights=moved(y))),
            ("groups", lambda: model.predict(x, moved(groups))),
            ("context: y", lambda: model.predict(x, groups, (context[0], context[1][::-1], context[2]))),
            ("context: groups", lambda: model.predict(x, groups, (*context[:2], context[2][::-1]))),
            ("y", lambda: model.score(x, moved(y), groups)),
            ("sample_weight", lambda: model.score(x, y, groups, sample_weight=moved(y))),
            ("y", lambda: model.log_density(x, moved(y), groups)),
            ("y", lambda: model.pdf(x, moved(y), groups)),
            ("values", lambda: model.predict_distribution(x, groups).cdf(moved(y))),
            ("values", lambda: model.predict_distribution(x, groups)[[1, 0, 2]].ppf(y[:3] * 0 + 0.5)),
        ):
            with self.subTest(who), warnings.catch_warnings(), self.assertRaisesRegex(ValueError, f"^{who}: found the labels of .* in another order, .*loc\\["):
                warnings.simplefilter("ignore")
                call()
        with self.assertRaisesRegex(ValueError, "^y: found other labels in its index than in that of X, .*to_numpy"):
            new.fit(x, y.set_axis(range(5, 5 + len(y))), groups)

    def test_limits(self):
        y, censored = pandas.Series([1.0, 2.0], index=[5, 6], name="dose"), pandas.Series([1, 0], index=[6, 5])
        with self.assertRaisesRegex(ValueError, "^censored: found the labels of y's index in another order, .*loc"):
            limits(y, censored)
        pandas.testing.assert_series_equal(limits(y, censored.loc[y.index]), pandas.Series([1.0, ">=2.0"], index=[5, 6], name="dose"))

    def test_same_index(self):
        rows, plain = data.fitted()
        frame = pandas.DataFrame({"x0": [r[1] for r in rows], "y": [r[4] for r in rows], "group": [r[0] for r in rows]})
        frame.index = [f"row {i}" for i in range(len(frame))]
        model = GroupedRegressor(instant=True, seed=3).fit(frame[["x0"]], frame["y"], frame["group"].to_numpy())
        self.assertEqual(model.run_, plain.run_)


class Errors(unittest.TestCase):
    def test_one_line_of_the_program(self):
        rows = data.kettles()
        x = [[str(r[1]) if i else "old"] for i, r in enumerate(rows)]
        with self.assertRaisesRegex(ValueError, r"^data, row 1: x0: found .*, expected [^\n]*$"):
            GroupedRegressor(instant=True).fit(x, [r[4] for r in rows], [r[0] for r in rows])

    def test_mistakes(self):
        rows, model = data.fitted()
        x, y = [[r[1]] for r in rows], [r[4] for r in rows]
        for mistake, error, call in (
            ("another length", "inconsistent numbers", lambda: GroupedRegressor().fit(x, y[1:])),
            ("few rows", "n_samples=3", lambda: GroupedRegressor().fit(x[:3], y[:3])),
            ("no fit", "not fitted", lambda: GroupedRegressor().predict(x)),
            ("a level", "between 0 and 1", lambda: model.predict_quantiles(x, levels=[0.5, 1])),
            ("a context", "4 parts", lambda: model.predict(x, context=(1, 2, 3, 4))),
            ("no context", "0 parts", lambda: model.predict(x, context=())),
            ("a column", "of a column of X", lambda: model.predict(x, groups="product")),
            ("infinity", "infinity", lambda: model.predict([[float("inf")]])),
            ("no y", "^every row lacks y or a group", lambda: model.score([[1.0]], [float("nan")])),
        ):
            with self.subTest(mistake), self.assertRaisesRegex(ValueError, error):
                call()

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_a_frame_as_context(self):
        _, model = data.fitted()
        for names in "a", "ab", "abc", "abcd":
            with self.assertRaisesRegex(ValueError, r"^context: found a frame, expected \(X, y, groups\)"):
                model.predict([[1.0]], context=pandas.DataFrame([[1.0] * len(names)], columns=[*names]))

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_what_y_may_be(self):
        rows, model = data.fitted()
        x, y, groups = [[r[1]] for r in rows], pandas.Series([r[4] for r in rows], name="price"), [r[0] for r in rows]
        want = model.score(x, y, groups)
        for table in (y.to_frame(), y.to_numpy()[:, None], [[v] for v in y]):
            with self.assertWarnsRegex(UserWarning, "^A column-vector y was passed") as warned:
                self.assertEqual(model.score(x, table, groups), want)
            self.assertEqual(warned.filename, __file__)
        with self.assertWarnsRegex(UserWarning, "^A column-vector y was passed"):
            self.assertEqual(GroupedRegressor(instant=True, seed=3).fit(x, y.to_frame(), groups)._y_name(), "price")
        two, days, seconds = pandas.DataFrame({"a": y, "b": y}), pandas.to_datetime(y, unit="D"), pandas.to_timedelta(y, unit="s")
        for mistake, error in (
            (two, r"found the shape \(192, 2\), expected one column of y"),
            (two.to_numpy(), r"found the shape \(192, 2\)"),
            (days, r"found dates, expected numbers, such as \(y - y.min\(\)\).dt.total_seconds\(\)"),
            (days.to_numpy(), "found dates"),
            (days.dt.tz_localize("UTC"), "found dates"),
            (list(days.dt.date), "float.* expected numbers"),
            (seconds, r"found spans of time, expected numbers, such as y.dt.total_seconds\(\)"),
            (seconds.to_numpy(), "found spans of time"),
        ):
            for call in (GroupedRegressor().fit, model.score, lambda *asked: cross_validate(GroupedRegressor(), *asked)):
                with self.subTest(error), self.assertRaisesRegex(ValueError, "^y: " + error):
                    call(x, mistake, groups)

    @unittest.skipUnless(pandas, "there is no pandas")
    def test_a_fit_that_fails_leaves_the_model(self):
        rows = data.kettles()
        x = pandas.DataFrame({"age": [r[1] for r in rows], "used": [float(r[3] == "used") for r in rows]})
        y, asked = [r[4] for r in rows], pandas.DataFrame({"age": [1.0], "used": [0.0]})
        model = GroupedRegressor(instant=True).fit(x, y)
        want = model.predict(asked)[0]
        with self.assertRaisesRegex(ValueError, "found count, expected"):
            model.set_params(outcome="count").fit(x[["used", "age"]], y)
        self.assertEqual((model.predict(asked)[0], list(model.feature_names_in_)), (want, ["age", "used"]))
        with self.assertRaisesRegex(ValueError, "same order as they were in fit"):
            model.predict(asked[["used", "age"]])

    def test_results_have_no_warnings(self):
        _, model = data.fitted()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            d = model.predict_distribution([[1.0]])
            d.logpdf([[-1e300], [0.0], [1e300]])
            d.cdf([[-np.inf], [np.inf]])


if __name__ == "__main__":
    unittest.main()
