package predict_test

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/test/must"
)

func tableOf(q predict.Quantiles) predict.Table {
	return predict.Table{Names: q.Names, Seed: q.Seed, Threads: 2, Wanted: append(predict.Always(predict.About{}),
		predict.Want("q", 0.1, 0.5), predict.Want("hdr", 0.5, 0.9), predict.Want("density", -1.5, 30), predict.WantDraws(3))}
}

// writeTable returns the file's content and, of a CSV file, its rows by column.
func writeTable(t *testing.T, table predict.Table, predictions iter.Seq2[predict.Target, error]) (content []byte, rows []map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "predictions")
	must.Do(t, table.Write(path, predictions))
	if table.Format == "" {
		_, rows = readRows(t, path)
	}
	return must.Get(os.ReadFile(path))(t), rows
}

// A row has what the distribution says, in raw units, also of a channel with logarithms. Draws are
// those of quantiles.csv with the same seed.
func TestTableHoldsThePredictions(t *testing.T) {
	for _, model := range []string{"acqnp", "bnp"} {
		o, q := askLanes(t, model), asked()
		o.Bootstraps = 4
		o.Units.Scaling.YForms = logUnits().Scaling.YForms
		o.Units.Scaling.YOffset[1], o.Units.Scaling.YScale[1] = 2, 0.25
		q.Draws = 3
		long := write(t, q, o)
		table := tableOf(q)
		content, rows := writeTable(t, table, o.Predict(t.Context(), q.Questions))
		header, _, _ := strings.Cut(string(content), "\n")
		if want := "group,target,x,channel,mean,sd,q0.1,q0.5,hdr0.5,hdr0.9,density-1.5,density30,draw1,draw2,draw3"; header != want {
			t.Errorf("header %s, want %s", header, want)
		}
		i := 0
		for _, p := range collect(t, o, q.Questions...) {
			for c, d := range p.Channels {
				f := q.Questions[p.Group]
				want := map[string]float64{"target": float64(p.Target), "x": f.Targets.X[p.Target], "mean": d.Mean(), "sd": math.Sqrt(d.Variance()),
					"q0.1": d.Quantile(0.1), "q0.5": d.Quantile(0.5), "density-1.5": math.Exp(d.LogDensity(-1.5)), "density30": math.Exp(d.LogDensity(30))}
				for k, draw := range long[key(f.Name, p.Target, q.YNames[c], "draw")] {
					want["draw"+strconv.Itoa(k+1)] = float(t, draw["value"])
				}
				got := map[string]float64{}
				for name := range want {
					got[name] = float(t, rows[i][name])
				}
				starts := func(text string) func(p cmp.Path) bool {
					return func(p cmp.Path) bool { return strings.HasPrefix(p.Last().String(), text) }
				}
				quantiles := cmp.FilterPath(starts(`["q`), cmpopts.EquateApprox(1e-8, 0))        // which are approximate to 1e-9 of a σ
				densities := cmp.FilterPath(starts(`["density`), cmpopts.EquateApprox(1e-12, 0)) // which are rounded otherwise; the rest is equal
				if diff := cmp.Diff(want, got, quantiles, densities); diff != "" {
					t.Errorf("%s, row %d: %s", model, i, diff)
				}
				if got := holds(t, d, rows[i]["hdr0.9"]); math.Abs(got-0.9) > 1e-7 {
					t.Errorf("%s, row %d: %s holds %v", model, i, rows[i]["hdr0.9"], got)
				}
				if rows[i]["group"] != f.Name || rows[i]["channel"] != q.YNames[c] {
					t.Errorf("%s, row %d is of %s, %s", model, i, rows[i]["group"], rows[i]["channel"])
				}
				i++
			}
		}
		if i != len(rows) {
			t.Errorf("%d rows, want %d", len(rows), i)
		}
		for _, threads := range []int{1, 7} {
			table.Threads = threads
			if again, _ := writeTable(t, table, o.Predict(t.Context(), q.Questions)); !bytes.Equal(again, content) {
				t.Errorf("%s: another file with %d threads", model, threads)
			}
		}
	}
}

// holds returns the probability of a region "a:b;c:d".
func holds(t *testing.T, d predict.Distribution, region string) (mass float64) {
	t.Helper()
	for interval := range strings.SplitSeq(region, ";") {
		low, high, _ := strings.Cut(interval, ":")
		mass += d.CDF(float(t, high)) - d.CDF(float(t, low))
	}
	return mass
}

// Memory does not grow with the targets: nothing is kept of those that are written.
func TestTableStreams(t *testing.T) {
	const targets, every = 60_000, 20_000
	o, q := askLanes(t, "cnp"), asked()
	q.Questions[1].Targets.X = make([]float64, targets)
	var heap []uint64
	watched := func(yield func(predict.Target, error) bool) {
		for p, err := range o.Predict(t.Context(), q.Questions) {
			if err == nil && p.Group == 1 && p.Target%every == every-1 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				heap = append(heap, m.HeapAlloc)
			}
			if !yield(p, err) {
				return
			}
		}
	}
	path := filepath.Join(t.TempDir(), "predictions.csv")
	must.Do(t, tableOf(q).Write(path, watched))
	// The text of 40,000 targets is 15 MB. A block of rows, which may be there or not, is 2 MB.
	if growth := int64(heap[len(heap)-1]) - int64(heap[0]); len(heap) != 3 || growth > 4<<20 {
		t.Errorf("%d bytes more after %d targets (%v)", growth, targets-every, heap)
	}
}

func TestTableRefusesFilesThatAreTooLarge(t *testing.T) {
	table := tableOf(asked()) // 9 columns of numbers besides hdr, 2 channels
	must.Refuse(t, table.CheckSize(100_000_000), "2.2e+09 numbers for 100000000 targets")
	must.Do(t, table.CheckSize(1_000_000))
}

func TestParseDensity(t *testing.T) {
	got, err := predict.ParseDensity("density", "0:0.3:4")
	if diff := cmp.Diff([]float64{0, 0.1, 0.2, 0.3}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, text := range []string{"", "1", "0:1", "0:1:1000000000", "0:1:100001", "0:1:0", "nan:1:2", "0:inf:2", "1:0:2", "0:1:2:3", "1:1:2", "1:1.0000000000001:9", "0:1:x"} {
		var bad *invalid.Input
		if _, err := predict.ParseDensity("density", text); !errors.As(err, &bad) || bad.Key != "density" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
