package ops

import G "gorgonia.org/gorgonia"

// The operations of the bootstrapping model (BNP). In their shapes k bootstraps take the place of
// the N_τ levels.

// EnsembleAdd is act(a per point + b per bootstrap); EnsembleAddGrad has the parts PointGrad and
// EnsembleGrad. Gather has the rows that indices name. Residual is (y−μ)/σ, Perturb is
// μ + σ·(residual − mean).
const (
	EnsembleAdd     Kind = "ensemble_add"
	EnsembleAddGrad Kind = "ensemble_add_grad"
	Gather          Kind = "gather"
	Residual        Kind = "residual"
	Perturb         Kind = "perturb"
)

// Parts of EnsembleAddGrad.
const (
	PointGrad    = 0
	EnsembleGrad = 1
)

// EnsembleAdd adds act(a + e) for every pair of a row of a and a bootstrap of its group. e is
// [B·k, d]. If a is [B·N, d], by point, the result is [B·N·k, d]; if a is [B·N_c, d], by context
// point, it is [B·N_c·k, d].
func (b *Builder) EnsembleAdd(a, e *G.Node, relu bool) *G.Node {
	return b.op(&Op{Kind: EnsembleAdd, ReLU: relu}, a, e)
}

func ensembleAddShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = map[Space]Space{Point: Row, Context: Resample}[o.In[0]], o.Widths[0]
	return o.Out != 0 && o.In[1] == Ensemble && o.Widths[1] == o.Width
}

// Gather adds the rows of values that index [B·N_c·k, 1] picks: [B·N_c·k, d]. An index is the
// number, in [0, N_c), of a context point of the row's group. values is [B·N_c, d], or [B·N_c·k,
// d], where each bootstrap picks among its own rows. Gather stops gradients.
func (b *Builder) Gather(values, index *G.Node) *G.Node {
	return b.op(&Op{Kind: Gather}, values, index)
}

func gatherShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = Resample, o.Widths[0]
	return (o.In[0] == Context || o.In[0] == Resample) && o.In[1] == Resample && o.Widths[1] == 1
}

// Residual adds (y−μ)/σ [B·N_c·k, dy], where μ and σ come from decoded [B·N_c·k, 2·dy] as in
// GaussianLogLik, and y is [B·N_c, dy]. It stops gradients.
func (b *Builder) Residual(decoded, y *G.Node, floor float64) *G.Node {
	return b.op(&Op{Kind: Residual, Floor: floor}, decoded, y)
}

func residualShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = Resample, o.Widths[1]
	return o.In[0] == Resample && o.In[1] == Context && o.Widths[0] == 2*o.Width
}

// Perturb adds the bootstrap's ỹ = μ + σ·(residual − mean) [B·N_c·k, dy]. μ and σ come from decoded
// [B·N_c·k, 2·dy] as in GaussianLogLik; residual is [B·N_c·k, dy], mean [B·k, dy]. It stops
// gradients.
func (b *Builder) Perturb(decoded, residual, mean *G.Node, floor float64) *G.Node {
	return b.op(&Op{Kind: Perturb, Floor: floor}, decoded, residual, mean)
}

func perturbShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = Resample, o.Widths[1]
	return o.In[0] == Resample && o.In[1] == Resample && o.In[2] == Ensemble && o.Widths[0] == 2*o.Width && o.Widths[2] == o.Width
}

var _ = declare(EnsembleAdd, operation{
	shape:     ensembleAddShape,
	gradients: inParts(EnsembleAddGrad, 2, result),
	single:    ensembleAdd[float32], double: ensembleAdd[float64],
	form:    func(w words, o *Op, in []Value) Value { return w.activated(o, w.plus(in[0], in[1])) },
	element: "ensemble_add_of(t, e, row, column)",
})

var _ = declare(EnsembleAddGrad, operation{single: ensembleAddGrad[float32], double: ensembleAddGrad[float64]})

var _ = declare(Gather, operation{
	shape:  gatherShape,
	single: gather[float32], double: gather[float64],
	form:    func(w words, _ *Op, in []Value) Value { return w.Gathered(in[0], in[1]) },
	element: "gather_of(t, e, row, column)",
	across:  always,
})

var _ = declare(Residual, operation{
	shape:  residualShape,
	single: residual[float32], double: residual[float64],
	form:    residualForm,
	element: "residual_of(t, e, row, column)",
})

var _ = declare(Perturb, operation{
	shape:  perturbShape,
	single: perturb[float32], double: perturb[float64],
	form:    perturbForm,
	element: "perturb_of(t, e, row, column)",
})

func residualForm(w words, o *Op, in []Value) Value {
	mu, sigma := w.gaussian(o, in[0])
	return w.quotient(w.minus(in[1], mu), sigma)
}

func perturbForm(w words, o *Op, in []Value) Value {
	mu, sigma := w.gaussian(o, in[0])
	return w.plus(mu, w.product(sigma, w.minus(in[1], in[2])))
}

// ensembleAdd evaluates EnsembleAdd. in: a [Point or Context, d], e [Ensemble, d]; out: [Row or
// Resample, d].
func ensembleAdd[T Float](o *Op, e Extents, out []T, in [][]T) {
	d := o.Width
	perGroup := e.Ratio(o.In[0], Group)
	for i := range e.Rows(o.Out) {
		above, level := i/e.Levels, i%e.Levels
		a, b, y := row(in[0], above, d), row(in[1], above/perGroup*e.Levels+level, d), row(out, i, d)
		for j := range y {
			y[j] = a[j] + b[j]
			if o.ReLU && y[j] < 0 {
				y[j] = 0
			}
		}
	}
}

// ensembleAddGrad evaluates a part of EnsembleAddGrad. in: gradient and result [Row or Resample,
// d]; out: [Point or Context, d], or [Ensemble, d].
func ensembleAddGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	d := o.Width
	perGroup := e.Ratio(o.In[0], Group)
	for i := range e.Rows(o.In[0]) {
		to := i / e.Levels
		if o.Part == EnsembleGrad {
			to = i/perGroup*e.Levels + i%e.Levels
		}
		y, dst := row(in[1], i, d), row(out, to, d)
		for j, g := range row(in[0], i, d) {
			if !o.ReLU || y[j] != 0 {
				dst[j] += g
			}
		}
	}
}

// gather evaluates Gather. in: values [Context or Resample, d], index [Resample, 1]; out:
// [Resample, d].
func gather[T Float](o *Op, e Extents, out []T, in [][]T) {
	d := o.Width
	for i, index := range in[1] {
		point, level := i/e.Levels, i%e.Levels
		from := point/e.Context*e.Context + int(index)
		if o.In[0] == Resample {
			from = from*e.Levels + level
		}
		copy(row(out, i, d), row(in[0], from, d))
	}
}

// residual evaluates Residual. in: decoded [Resample, 2·dy], y [Context, dy]; out: [Resample, dy].
func residual[T Float](o *Op, e Extents, out []T, in [][]T) {
	for i := range e.Rows(Resample) {
		GaussianResidual(row(in[0], i, 2*o.Width), row(in[1], i/e.Levels, o.Width), row(out, i, o.Width), o.Floor)
	}
}

// GaussianResidual writes (y−μ)/σ to out [dy] for decoded = [μ…, s…] [2·dy] and y [dy].
func GaussianResidual[T Float](decoded, y, out []T, floor float64) {
	for c, v := range y {
		out[c] = (v - decoded[c]) / sigma(decoded[len(y)+c], floor)
	}
}

// perturb evaluates Perturb. in: decoded [Resample, 2·dy], residuals [Resample, dy], their means
// [Ensemble, dy]; out: [Resample, dy].
func perturb[T Float](o *Op, e Extents, out []T, in [][]T) {
	for i := range e.Rows(Resample) {
		mean := i/(e.Levels*e.Context)*e.Levels + i%e.Levels
		GaussianPerturb(row(in[0], i, 2*o.Width), row(in[1], i, o.Width), row(in[2], mean, o.Width), row(out, i, o.Width), o.Floor)
	}
}

// GaussianPerturb writes μ + σ·(residual − mean) to out [dy] for decoded = [μ…, s…] [2·dy],
// residual and mean [dy].
func GaussianPerturb[T Float](decoded, residual, mean, out []T, floor float64) {
	for c, r := range residual {
		out[c] = decoded[c] + sigma(decoded[len(out)+c], floor)*(r-mean[c])
	}
}
