package golden_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/files/safetensors/safetensorstest"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// golden is one case, read from a file of testdata. tools/golden/README.md lists its tensors.
type golden struct {
	t       *testing.T
	name    string
	meta    map[string]string
	tensors []safetensors.Tensor
	model   *models.Model
	dx, dy  int
	context int   // of the main batch
	steps   []int // context points of each Adam step's batch
	targets bool  // the loss is the mean over the targets, and only they are points of a run
}

// batch holds the inputs of a run, in the file's layout.
type batch struct {
	extents ops.Extents
	context []float64 // [B, N_c, dx+dy]
	x, y    []float64 // [B, N, dx], [B, N, dy]
	u       []float64 // [B, N_τ, N]; quantile models

	resample []float64 // [2, k, B, N_c], indices of context points and of residuals; BNP

	contextRanges, ranges []float64 // [B, N_c, 4], [B, N, 4]: what each reads; groups
}

const numCases = 59

// cases returns the paths of the files in testdata.
func cases(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.safetensors")
	if err != nil || len(paths) != numCases {
		t.Fatalf("testdata: %d cases (%v), expected %d", len(paths), err, numCases)
	}
	return paths
}

func caseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".safetensors") }

// load reads a case. It ends the test if the file is not as expected.
func load(t *testing.T, path string) *golden {
	t.Helper()
	meta, tensors := safetensorstest.Read(t, path)
	g := &golden{t: t, name: caseName(path), meta: meta, tensors: tensors, targets: meta["loss"] == "targets"}
	var c config.Model
	if err := yaml.Unmarshal([]byte(meta["model"]), &c); err != nil { // JSON, with the names of configurations
		t.Fatalf("%s: metadata model: %v", g.name, err)
	}
	g.metadata("dx", &g.dx)
	g.metadata("dy", &g.dy)
	g.metadata("num_context", &g.context)
	g.metadata("step.num_context", &g.steps)
	g.model = must.Get(models.New(c, g.dx, g.dy))(t)
	return g
}

func (g *golden) metadata(key string, into any) {
	g.t.Helper()
	if err := json.Unmarshal([]byte(g.meta[key]), into); err != nil {
		g.t.Fatalf("%s: metadata %s: %v", g.name, key, err)
	}
}

func (g *golden) tensor(name string) safetensors.Tensor {
	g.t.Helper()
	i := slices.IndexFunc(g.tensors, func(t safetensors.Tensor) bool { return t.Name == name })
	if i < 0 {
		g.t.Fatalf("%s: no tensor %s", g.name, name)
	}
	return g.tensors[i]
}

func (g *golden) values(name string) []float64 {
	g.t.Helper()
	v := must.Get(g.tensor(name).Float64s())(g.t)
	return v
}

// main returns the batch whose log-likelihoods, gradients and components the file holds.
func (g *golden) main() batch { return g.batch("", g.context) }

// step returns the batch of Adam step k.
func (g *golden) step(k int) batch { return g.batch("step."+strconv.Itoa(k)+".", g.steps[k]) }

func (g *golden) batch(prefix string, context int) batch {
	shape := g.tensor(prefix + "x").Shape
	b := batch{
		extents: ops.Extents{Groups: shape[0], Context: context, Points: shape[1]},
		x:       g.values(prefix + "x"),
		y:       g.values(prefix + "y"),
	}
	if g.model.Quantile() {
		b.u = g.values(prefix + "u")
		b.extents.Levels = g.tensor(prefix + "u").Shape[1]
	}
	if g.model.Bootstrap() {
		b.resample = g.values(prefix + "resample")
		b.extents.Levels = g.tensor(prefix + "resample").Shape[1]
	}
	if g.model.Groups() {
		b.contextRanges, b.ranges = ranged(g.values(prefix+"ranges"), b.extents)
	}
	b.context = pairs(b.x, b.y, b.extents, g.dx, g.dy)
	if g.targets {
		return b.points(context, shape[1], g.dx, g.dy)
	}
	return b
}

// pairs returns [x, y] of the context points, [B, N_c, dx+dy].
func pairs(x, y []float64, e ops.Extents, dx, dy int) []float64 {
	var v []float64
	for f := range e.Groups {
		for c := range e.Context {
			at := f*e.Points + c
			v = append(append(v, x[at*dx:][:dx]...), y[at*dy:][:dy]...)
		}
	}
	return v
}

// points returns the batch with only the points [from, to) of each group. The context is the
// same.
func (b batch) points(from, to, dx, dy int) batch {
	e := b.extents
	b.x = part(b.x, e.Groups, e.Points, from, to, dx)
	b.y = part(b.y, e.Groups, e.Points, from, to, dy)
	b.u = part(b.u, e.Groups*e.Levels, e.Points, from, to, 1)
	b.ranges = part(b.ranges, e.Groups, e.Points, from, to, rangeColumns)
	b.extents.Points = to - from
	return b
}

// part returns rows [from, to) of every group of v [groups, n, width].
func part[V any](v []V, groups, n, from, to, width int) []V {
	if v == nil {
		return nil
	}
	var out []V
	for i := range groups {
		out = append(out, v[(i*n+from)*width:(i*n+to)*width]...)
	}
	return out
}

// capacity returns extents that are larger in every dimension than those of any batch of the case.
// So an engine that confuses its capacity with the extents of a run fails.
func (g *golden) capacity() ops.Extents {
	c := g.main().extents
	for k := range g.steps {
		e := g.step(k).extents
		c.Groups, c.Context = max(c.Groups, e.Groups), max(c.Context, e.Context)
		c.Points, c.Levels = max(c.Points, e.Points), max(c.Levels, e.Levels)
	}
	c.Groups, c.Context, c.Points = c.Groups+1, c.Context+1, c.Points+2
	if c.Levels > 0 {
		c.Levels++
	}
	return c
}

// flat returns the file's tensors "<prefix><PyTorch name>" as the model's parameter vector. Their
// names and shapes must be those of the model, and no tensor may be left over.
func (g *golden) flat(prefix string) []float64 {
	g.t.Helper()
	v := make([]float64, g.model.NumParams())
	known := map[string]bool{}
	for _, p := range g.model.Tensors() {
		t := g.tensor(prefix + p.Name)
		if !slices.Equal(t.Shape, p.Shape) {
			g.t.Fatalf("%s: %s has shape %v, PyTorch's %v", g.name, p.Name, p.Shape, t.Shape)
		}
		copy(v[p.Offset:p.Offset+p.Size()], g.values(prefix+p.Name))
		known[prefix+p.Name] = true
	}
	for _, t := range g.tensors {
		if strings.HasPrefix(t.Name, prefix) && !known[t.Name] {
			g.t.Fatalf("%s: the model has no tensor %s", g.name, t.Name)
		}
	}
	return v
}
