package predict_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// logUnits are the units of the tiny model whose second channel is the logarithm of y.
func logUnits() run.Units {
	return run.Units{XNames: []string{"x"}, YNames: []string{"speed", "weight"}, Scaling: datasets.Scaling{
		XOffset: []float64{-4}, XScale: []float64{8}, YOffset: []float64{16, 2}, YScale: []float64{4, 0.25},
		YForms: []rows.Form{{}, {Log: true}}}}
}

// The log-likelihood in raw units is the mean log density of the predictions at the raw y, so it has
// the Jacobians of the scales and of the logarithm. The evaluation and the prediction compute them
// in different ways.
func TestRawLikelihoodIsThatOfThePredictions(t *testing.T) {
	for _, model := range []string{"acqnp", "cnp"} {
		o := options(t, model, source{batches: 2}.of())
		o.Units, o.Levels = logUnits(), predict.GridLevels
		e := evaluate(t, o)
		var context, target float64
		for i := range 2 {
			var b datasets.Batch
			must.Do(t, o.Source.Eval.Make(i, &b))
			sums := [2]float64{}
			for f := range b.Groups {
				all := o.Units.Scaling.RawOf(&b, f)
				for _, p := range collect(t, o.Trained, points.Question{Known: all.Cut(0, b.Context), Targets: all}) {
					part := 0
					if p.Target >= b.Context {
						part = 1
					}
					for c, d := range p.Channels {
						sums[part] += d.LogDensity(all.RowY(p.Target)[c])
					}
				}
			}
			context += sums[0] / float64(b.Groups*b.Context) / 2
			target += sums[1] / float64(b.Groups*(b.Points-b.Context)) / 2
		}
		// Raw y pass through exp, log and float32 on their way back to the model.
		if math.Abs(e.Raw.ContextLL.Mean-context) > 1e-4 || math.Abs(e.Raw.TargetLL.Mean-target) > 1e-4 {
			t.Errorf("%s: raw %v and %v, want %v and %v", model, e.Raw.ContextLL.Mean, e.Raw.TargetLL.Mean, context, target)
		}
	}
}

// In raw units, the density of a channel with logarithms integrates to 1 above 0, and so do the
// draws lie there. Components are those of log y.
func TestPredictionsOfALogarithm(t *testing.T) {
	for _, model := range []string{"acqnp", "cqnp", "cnp", "bnp"} {
		o := options(t, model, source{batches: 1}.of())
		o.Units, o.Levels = logUnits(), predict.GridLevels
		o.Units.Scaling.YScale[1] = 0.002 // so that the tails of τ = 0.002 end within the quadrature
		f := points.Question{Known: points.New(1, 2, []float64{0, 1}, []float64{17, 7, 15, 9}), Targets: points.New(1, 0, []float64{2}, nil)}
		for _, p := range collect(t, o.Trained, f) {
			d := p.Channels[1]
			if !d.Log() || p.Channels[0].Log() {
				t.Fatalf("%s: which channel is a logarithm?", model)
			}
			sum := 0.0
			for z := -40.0; z < 44; z += 0.002 {
				sum += quad.Fixed(func(y float64) float64 { return math.Exp(d.LogDensity(y)) }, math.Exp(z), math.Exp(z+0.002), 8, quad.Legendre{}, 0)
			}
			// The intervals are as wide as the narrowest component and do not end at its kink, which costs
			// 1e-4 of its weight.
			if math.Abs(sum-1) > 1e-3 {
				t.Errorf("%s: the density integrates to %v", model, sum)
			}
			heaviest := d.Components()[0]
			if y := heaviest.Value(); y != math.Exp(heaviest.Mu) || !(d.Quantile(1e-9) < y && y < d.Quantile(1-1e-9)) {
				t.Errorf("%s: μ is %v of log y, %v of y", model, heaviest.Mu, y)
			}
		}
	}
}

// Columns of x keep their names in quantiles.csv, and get a prefix if the file has such a column.
func TestColumnsOfXHaveTheirOwnNames(t *testing.T) {
	q := predict.Quantiles{Names: predict.Names{XNames: []string{"value", "x_value", "age", "group"}, YNames: []string{"y"}}}
	path := filepath.Join(t.TempDir(), "q.csv")
	must.Do(t, q.Write(path, func(func(predict.Target, error) bool) {}))
	content := must.Get(os.ReadFile(path))(t)
	if want := "group,target,x_x_value,x_value,age,x_group,channel,kind,"; !strings.HasPrefix(string(content), want) {
		t.Errorf("%s, want %s…", content, want)
	}
}

// The column of the groups, too, gets a prefix if the file has a column of its name. A Parquet file cannot have two.
func TestTheColumnOfGroupsHasItsOwnName(t *testing.T) {
	o, q := askLanes(t, "acqnp"), asked()
	for name, want := range map[string]string{"channel": "group_channel,target,x,channel,mean,", "mean": "group_mean,target,x,channel,mean,", "lane": "lane,target,x,channel,"} {
		table := tableOf(q)
		table.Group = name
		if content, _ := writeTable(t, table, o.Predict(t.Context(), q.Questions)); !strings.HasPrefix(string(content), want) {
			t.Errorf("%.200s, want %s…", content, want)
		}
		table.Format = tabular.Parquet
		writeTable(t, table, o.Predict(t.Context(), q.Questions))
	}
}
