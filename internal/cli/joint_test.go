package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// branches returns groups of 8 points, half of them near y = 1 and half near −1.
func branches() string {
	g := random.New(1, random.Draws)
	var b strings.Builder
	b.WriteString("f,x,y\n")
	for f := range 120 {
		for i := range 8 {
			side := float64(2*(f%2) - 1)
			fmt.Fprintf(&b, "f%d,%g,%g\n", f, g.Float(uint64(f), uint64(i)), side+0.1*g.Normal(uint64(f), uint64(100+i)))
		}
	}
	return b.String()
}

const branchConfig = `benchmark: csv
model: {name: acqnp, representation: 16, encoder: [16], adaptor: [16], decoder: [16]}
data: {file: branches.csv, group: f, x: [x], y: [y]}
train: {steps: 1000, batch_size: 16, num_tau: 8, learning_rate: 3e-3}
eval: {num_tau: 20}
`

// Without context, half of the predicted mass is on each branch. Independent draws at neighbouring
// targets are on the same branch as often as not; the curve of a joint draw stays on one.
func TestJointDrawsStayOnABranch(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must.Write(t, branches(), dir, "branches.csv")
	succeed(t, "train", "--config", must.Write(t, branchConfig, dir, "branches.yaml"), "--run-dir", "run", "--quiet", "--no-eval")
	const draws, targets = 200, 10
	same := func(args ...string) float64 {
		out := filepath.Join(dir, "p.csv")
		succeed(t, append([]string{"predict", "--run", "run", "--grid=0:1:10", "--draws", "200", "--out", out, "--overwrite", "--quiet"}, args...)...)
		rows, n := readRows(t, out), 0
		for i := 1; i < targets; i++ {
			for d := range draws {
				column := fmt.Sprintf("draw%d", d+1)
				if (rows[i].number(t, column) > 0) == (rows[i-1].number(t, column) > 0) {
					n++
				}
			}
		}
		return float64(n) / (draws * (targets - 1))
	}
	independent, joint := same(), same("--joint")
	t.Logf("neighbours on the same branch: %.3f independent, %.3f joint", independent, joint)
	// Six standard deviations of 1800 independent pairs are 0.07, and the branches need not have half the
	// mass each. The tails of the outermost of 20 levels hold about 0.05, half of it on the other side.
	if independent > 0.65 || joint < 0.87 {
		t.Errorf("neighbours on the same branch: %.3f of independent draws, want 0.5; %.3f of joint ones, want above 0.87", independent, joint)
	}
	checkRefusal(t, "no draws", acqnp("predict", "--run", "run", "--grid=0:1:3", "--joint", "--out", "q.csv"), 2, "--draws: found 0, expected 1 to 100000, since --joint draws")
	checkRefusal(t, "too many", acqnp("predict", "--run", "run", "--grid=0:1:10001", "--draws", "1", "--joint", "--out", "q.csv", "--quiet"), 2, "--joint: found 1 draws of 10001 targets")
}
