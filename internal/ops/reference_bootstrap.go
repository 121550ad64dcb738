package ops

// ensembleAdd: inputs a [Point or Context, d] and e [Ensemble, d].
func ensembleAdd[T Float](o *Op, e Extents, out []T, in [][]T) {
	d := o.Width
	perFunction := e.Ratio(o.In[0], Function)
	for i := range e.Rows(o.Out) {
		above, level := i/e.Levels, i%e.Levels
		a, b, y := row(in[0], above, d), row(in[1], above/perFunction*e.Levels+level, d), row(out, i, d)
		for j := range y {
			y[j] = a[j] + b[j]
			if o.ReLU && y[j] < 0 {
				y[j] = 0
			}
		}
	}
}

// ensembleAddGrad: inputs the gradient and the result.
func ensembleAddGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	d := o.Width
	perFunction := e.Ratio(o.In[0], Function)
	for i := range e.Rows(o.In[0]) {
		to := i / e.Levels
		if o.Part == EnsembleGrad {
			to = i/perFunction*e.Levels + i%e.Levels
		}
		y, dst := row(in[1], i, d), row(out, to, d)
		for j, g := range row(in[0], i, d) {
			if !o.ReLU || y[j] != 0 {
				dst[j] += g
			}
		}
	}
}

// gather: inputs values [Context or Resample, d] and index [Resample, 1].
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

// residual: inputs decoded [Resample, 2dy] and y [Context, dy].
func residual[T Float](o *Op, e Extents, out []T, in [][]T) {
	for i := range e.Rows(Resample) {
		GaussianResidual(row(in[0], i, 2*o.Width), row(in[1], i/e.Levels, o.Width), row(out, i, o.Width))
	}
}

// GaussianResidual writes (y−μ)/σ for decoded = [μ…, s…].
func GaussianResidual[T Float](decoded, y, out []T) {
	for c, v := range y {
		out[c] = (v - decoded[c]) / (GaussianFloor + (1-GaussianFloor)*Softplus(decoded[len(y)+c]))
	}
}

// perturb: inputs decoded [Resample, 2dy], residuals [Resample, dy] and their means [Ensemble, dy].
func perturb[T Float](o *Op, e Extents, out []T, in [][]T) {
	for i := range e.Rows(Resample) {
		mean := i/(e.Levels*e.Context)*e.Levels + i%e.Levels
		GaussianPerturb(row(in[0], i, 2*o.Width), row(in[1], i, o.Width), row(in[2], mean, o.Width), row(out, i, o.Width))
	}
}

// GaussianPerturb writes μ + σ·(residual − mean) for decoded = [μ…, s…].
func GaussianPerturb[T Float](decoded, residual, mean, out []T) {
	for c, r := range residual {
		out[c] = decoded[c] + (GaussianFloor+(1-GaussianFloor)*Softplus(decoded[len(out)+c]))*(r-mean[c])
	}
}

// logMeanExp: input ll [Row, 1].
func logMeanExp[T Float](e Extents, out, ll []T) {
	for p := range out {
		sum := newLogSum[T]()
		for _, v := range row(ll, p, e.Levels) {
			sum.add(v)
		}
		out[p] = sum.value() - log(T(e.Levels))
	}
}

// logMeanExpGrad: inputs the gradient [Point, 1], ll [Row, 1] and the result [Point, 1].
func logMeanExpGrad[T Float](e Extents, out []T, in [][]T) {
	for i, v := range in[1] {
		p := i / e.Levels
		out[i] = in[0][p] * exp(v-in[2][p]) / T(e.Levels)
	}
}
