package fit_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/fit/network"
	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/random"
)

// branched writes 16 groups of 8 points, whose y is near level + 1 or near level − 1, at random.
func branched(t *testing.T) string {
	t.Helper()
	g := random.New(7, random.Data)
	rows := &strings.Builder{}
	fmt.Fprintln(rows, "group,x,y")
	for i := range uint64(16) {
		level := 0.3 * g.Normal(i, 0)
		for k := range uint64(8) {
			side := math.Copysign(1, g.Float(i, 100+k)-0.5)
			fmt.Fprintf(rows, "%d,%.4f,%.4f\n", i, g.Float(i, 200+k), level+side+0.1*g.Normal(i, 10+k))
		}
	}
	path := filepath.Join(t.TempDir(), "branched.csv")
	if err := os.WriteFile(path, []byte(rows.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// fitted fits y ~ x | group.
func fitted(t *testing.T, file string, o fit.Options) fit.Fitted {
	t.Helper()
	asked, err := formula.Parse("y ~ x | group")
	if err != nil {
		t.Fatal(err)
	}
	o.File, o.Formula, o.Out, o.Progress = file, asked, t.TempDir(), progress.New(io.Discard, progress.Auto)
	f, _, err := fit.Fit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestNetworkLearnsBranches fits data of two branches. A Gaussian process states one wide Gaussian there,
// and the network on it finds both: the exact gain of two Gaussians of deviation 0.1 and unknown level
// is about 1 nat. The file keeps the networks, and threads change nothing.
func TestNetworkLearnsBranches(t *testing.T) {
	file := branched(t)
	f := fitted(t, file, fit.Options{Threads: 2})
	of := map[string]stack.Candidate{}
	for _, c := range f.Stacks[0].Candidates {
		of[c.Name] = c
	}
	if gain := of[network.Name].LogDensity - of[stack.GaussianProcess].LogDensity; gain < 0.3 {
		t.Errorf("the network gains %.3f nats on the Gaussian process, expected at least 0.3", gain)
	}

	dir := t.TempDir()
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	read, err := fit.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	context, x := simple.Group{X: []float64{0.2, 0.7}, Y: []float64{1.1, -0.9}, DX: 1}, []float64{0.1, 0.5, 0.9}
	for i, d := range f.Stacks[0].Predict(context, x) {
		if again := read.Stacks[0].Predict(context, x)[i]; d.Mean() != again.Mean() || d.LogDensity(1) != again.LogDensity(1) {
			t.Errorf("x = %g: the file predicts %v, expected %v", x[i], again, d)
		}
	}
	one, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(fitted(t, file, fit.Options{Threads: 1}))
	if err != nil {
		t.Fatal(err)
	}
	if string(one) != string(other) {
		t.Error("one thread and two give different files")
	}
}
