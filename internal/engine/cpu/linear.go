package cpu

import "github.com/acqnp/acqnp/internal/ops"

// weight is a block of the flat vector, copied out at the start of every run: [out, in] as it is and [in, out]
// transposed.
type weight struct {
	block              ops.Block
	out, in            int
	direct, transposed []float32
}

func (w *weight) run(params []float32) {
	ops.LoadBlock(w.direct, params, w.block)
	for j := range w.out {
		for c, v := range w.direct[j*w.in : (j+1)*w.in] {
			w.transposed[c*w.out+j] = v
		}
	}
}

func (c *compiler) weight(v *value) *weight {
	if w := c.packed[v]; w != nil {
		return w
	}
	b := c.blocks[v]
	w := &weight{block: b, out: b.Rows, in: b.Cols, direct: make([]float32, b.Rows*b.Cols), transposed: make([]float32, b.Rows*b.Cols)}
	c.packed[v] = w
	c.p.packs = append(c.p.packs, w)
	return w
}

// linear is act(base↑ + in·Wᵀ).
func (c *compiler) linear(u *unit) kernel {
	base, in, out, w := c.in(u.in[0]), c.in(u.in[1]), c.out(u.out[0]), c.weight(u.in[2])
	relu := u.op.ReLU
	return func(wk *worker, t *tile) {
		x, y := in.at(wk, t), out.at(wk, t)
		spread(t, y, out.space, base.at(wk, t), base.space, w.out)
		w.multiply(x, y)
		if relu {
			rectify(y)
		}
	}
}

// multiply is y[m, out] += x[m, in]·Wᵀ.
func (w *weight) multiply(x, y []float32) {
	m := len(y) / w.out
	if w.out >= narrow {
		gemm(false, m, w.out, w.in, x, w.in, w.transposed, w.out, 1, y, w.out)
		return
	}
	for i := range m {
		row := x[i*w.in : (i+1)*w.in]
		for j := range w.out {
			y[i*w.out+j] += dot(row, w.direct[j*w.in:(j+1)*w.in])
		}
	}
}

// back is dx[m, in] = g[m, out]·W.
func (w *weight) back(g, dx []float32) {
	m := len(g) / w.out
	if w.in >= narrow {
		gemm(false, m, w.in, w.out, g, w.out, w.direct, w.in, 0, dx, w.in)
		return
	}
	for i := range m {
		row := g[i*w.out : (i+1)*w.out]
		for c := range w.in {
			dx[i*w.in+c] = dot(row, w.transposed[c*w.out:(c+1)*w.out])
		}
	}
}

// accumulate is dW[out, in] += gᵀ·x, with dW packed; column is scratch.
func (w *weight) accumulate(g, x, dw, column []float32) {
	m := len(g) / w.out
	if w.in >= narrow {
		gemm(true, w.out, w.in, m, g, w.out, x, w.in, 1, dw, w.in)
		return
	}
	column = column[:w.in*w.out]
	clear(column)
	for i := range m {
		row := g[i*w.out : (i+1)*w.out]
		for c := range w.in {
			axpy(x[i*w.in+c], row, column[c*w.out:(c+1)*w.out])
		}
	}
	for c := range w.in {
		for j := range w.out {
			dw[j*w.in+c] += column[c*w.out+j]
		}
	}
}

// linearGrad makes the parts of a linear layer's gradient from one masked copy of the incoming gradient.
func (c *compiler) linearGrad(u *unit) kernel {
	grad, result, in, w := c.in(u.in[0]), c.in(u.in[1]), c.in(u.in[2]), c.weight(u.in[3])
	base, dx, dw := c.out(u.out[ops.BaseGrad]), c.out(u.out[ops.InGrad]), c.out(u.out[ops.WeightGrad])
	relu := u.op.ReLU
	c.masked = max(c.masked, w.out)
	return func(wk *worker, t *tile) {
		g := grad.at(wk, t)
		if relu {
			g = mask(wk.masked[:len(g)], g, result.at(wk, t))
		}
		if base != nil {
			collect(t, base.at(wk, t), base, g, grad.space)
		}
		if dx != nil {
			w.back(g, dx.at(wk, t))
		}
		if dw != nil {
			w.accumulate(g, in.at(wk, t), dw.at(wk, t), wk.column)
		}
	}
}

// groups calls f for every run of rows [i, j) of a tile's child space that belongs to row k of the ancestor's.
func groups(t *tile, child, ancestor ops.Space, f func(k, i, j int)) {
	lo, hi := t.span(child)
	first, _ := t.span(ancestor)
	ratio := t.e.Ratio(child, ancestor)
	for i := lo; i < hi; {
		k := i / ratio
		j := min(hi, (k+1)*ratio)
		f(k-first, i-lo, j-lo)
		i = j
	}
}

// spread copies every row of base to the rows of y below it.
func spread(t *tile, y []float32, space ops.Space, base []float32, above ops.Space, d int) {
	groups(t, space, above, func(k, i, j int) {
		row := base[k*d : (k+1)*d]
		for ; i < j; i++ {
			copy(y[i*d:(i+1)*d], row)
		}
	})
}

// collect sums the rows of g into the rows above them; a sum over tiles goes on, any other starts from zero.
func collect(t *tile, dst []float32, o *operand, g []float32, space ops.Space) {
	d := o.width
	if o.sum == nil {
		clear(dst)
	}
	groups(t, space, o.space, func(k, i, j int) {
		row := dst[k*d : (k+1)*d]
		for ; i < j; i++ {
			add(row, g[i*d:(i+1)*d])
		}
	})
}

func rectify(y []float32) {
	for i, v := range y {
		if v < 0 {
			y[i] = 0
		}
	}
}

// mask is g where the ReLU let its input through, 0 elsewhere.
func mask(dst, g, result []float32) []float32 {
	for i, v := range g {
		if result[i] == 0 {
			v = 0
		}
		dst[i] = v
	}
	return dst
}
