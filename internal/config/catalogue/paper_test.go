package catalogue_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

var (
	benchmarks = []string{"double-sine", "circle", "lissajous", "speed-flow", "mnist", "fashion-mnist", "svhn", "omniglot", "freyface", "sawtooth", "rbf", "matern52"}
	models     = []string{"cnp", "canp", "bnp", "cqnp", "acqnp"}
)

// secondReading repeats the paper's numbers, read from the paper a second time, column by column
// where the program's tables go row by row: context, its ±, target, its ± in thousandths, in the
// order of models.
var secondReading = map[string][5][4]int{
	"double-sine": {{-195, 9, -520, 19}, {436, 236, -1742, 222}, {330, 10, 134, 17}, {1448, 42, 1244, 49}, {1582, 108, 1349, 98}},
	"lissajous":   {{-2212, 146, -2962, 165}, {-1112, 499, -2151, 248}, {-314, 11, -434, 10}, {798, 20, 508, 21}, {929, 38, 634, 34}},
	"speed-flow":  {{845, 10, 719, 2}, {887, 10, 741, 14}, {879, 5, 720, 15}, {1518, 13, 1495, 7}, {1544, 1, 1507, 6}},
	"svhn":        {{3554, 14, 3388, 13}, {4112, 2, 3715, 16}, {3679, 8, 3580, 7}, {4725, 33, 4447, 29}, {4959, 42, 4651, 34}},
	"freyface":    {{970, 83, 941, 88}, {1062, 53, 1015, 23}, {1073, 15, 1052, 14}, {1433, 62, 1392, 61}, {1522, 89, 1475, 86}},
	"matern52":    {{626, 56, -183, 13}, {1058, 382, -15, 198}, {879, 18, -48, 18}, {515, 39, -373, 41}, {912, 42, -117, 25}},
}

func TestPaperAgainstASecondReading(t *testing.T) {
	for name, rows := range secondReading {
		for i, model := range models {
			got, ok := catalogue.Paper(name, model)
			v := rows[i]
			want := catalogue.Result{
				Context: catalogue.Number{Mean: float64(v[0]) / 1000, Spread: float64(v[1]) / 1000},
				Target:  catalogue.Number{Mean: float64(v[2]) / 1000, Spread: float64(v[3]) / 1000},
			}
			if !ok || got != want {
				t.Errorf("%s on %s: %+v, want %+v", model, name, got, want)
			}
		}
	}
}

// The sums over models check the columns that the second reading leaves out.
func TestPaperColumnsSumUp(t *testing.T) {
	for name, want := range map[string]int{ // thousandths: context and target means, then the spreads
		"circle": -2086 - 2387 - 272 - 1685 + 150 + 65 + 2047 + 1932 + 2118 + 2028 + 204 + 216 + 43 + 82 + 10 + 9 + 76 + 80 + 59 + 57,
		"mnist":  1061 + 938 + 1350 + 913 + 1128 + 1061 + 2683 + 2609 + 2681 + 2616 + 6 + 1 + 3 + 6 + 13 + 9 + 6 + 6 + 11 + 13,
		"fashion-mnist": 963 + 872 + 1226 + 857 + 1039 + 971 + 2012 + 1932 + 2040 + 1954 +
			5 + 4 + 7 + 24 + 2 + 1 + 4 + 2 + 16 + 15,
		"omniglot": 978 + 874 + 1366 + 974 + 983 + 950 + 2529 + 2471 + 2516 + 2461 + 4 + 9 + 5 + 4 + 6 + 4 + 34 + 38 + 9 + 7,
		"sawtooth": 937 + 586 + 1191 + 341 + 884 + 769 + 1229 + 833 + 1386 + 1026 + 23 + 38 + 190 + 85 + 38 + 39 + 31 + 35 + 42 + 39,
		"rbf":      837 + 100 + 1269 + 225 + 1121 + 339 + 947 + 83 + 1215 + 254 + 58 + 23 + 83 + 52 + 8 + 9 + 42 + 37 + 27 + 20,
	} {
		sum := 0.0
		for _, model := range models {
			p, _ := catalogue.Paper(name, model)
			sum += 1000 * (p.Context.Mean + p.Target.Mean + p.Context.Spread + p.Target.Spread)
		}
		if int(sum+0.5) != want && int(sum-0.5) != want {
			t.Errorf("%s sums to %.1f, want %d", name, sum, want)
		}
	}
}

func TestPaperIsComplete(t *testing.T) {
	for _, b := range benchmarks {
		for _, m := range models {
			if p, ok := catalogue.Paper(b, m); !ok || p.Context.Spread <= 0 || p.Target.Spread <= 0 || p.Context.Mean <= p.Target.Mean {
				t.Errorf("%s on %s: %+v, %v; the paper's context is better than its target everywhere", m, b, p, ok)
			}
		}
	}
	for _, unknown := range [][2]string{{"csv", "acqnp"}, {"lissajous", "np"}, {"", ""}} {
		if p, ok := catalogue.Paper(unknown[0], unknown[1]); ok {
			t.Errorf("%q has %+v", unknown, p)
		}
	}
}
