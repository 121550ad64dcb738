package cpu

import "github.com/acqnp/acqnp/internal/ops"

// weight is a block of a weight matrix in the flat vector: [out, in] with rows a stride apart.
type weight struct {
	data    []float32
	stride  int
	out, in int
}

// pack is a weight transposed, [in, out] without gaps: made anew at the start of every run.
type pack struct {
	weight
	transposed []float32
}

func (p *pack) run() {
	for j := range p.out {
		for c, w := range p.data[j*p.stride : j*p.stride+p.in] {
			p.transposed[c*p.out+j] = w
		}
	}
}

func (c *compiler) weight(v *value) *pack {
	if p := c.packed[v]; p != nil {
		return p
	}
	b := c.blocks[v]
	p := &pack{weight: weight{data: c.p.params[b.Offset:], stride: b.Stride, out: b.Rows, in: b.Cols},
		transposed: make([]float32, b.Rows*b.Cols)}
	c.packed[v] = p
	c.p.packs = append(c.p.packs, p)
	return p
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
func (p *pack) multiply(x, y []float32) {
	m := len(y) / p.out
	if p.out >= narrow {
		gemm(false, m, p.out, p.in, x, p.in, p.transposed, p.out, 1, y, p.out)
		return
	}
	for i := range m {
		row := x[i*p.in : (i+1)*p.in]
		for j := range p.out {
			y[i*p.out+j] += dot(row, p.data[j*p.stride:j*p.stride+p.in])
		}
	}
}

// back is dx[m, in] = g[m, out]·W.
func (p *pack) back(g, dx []float32) {
	m := len(g) / p.out
	if p.in >= narrow {
		gemm(false, m, p.in, p.out, g, p.out, p.data, p.stride, 0, dx, p.in)
		return
	}
	for i := range m {
		row := g[i*p.out : (i+1)*p.out]
		for c := range p.in {
			dx[i*p.in+c] = dot(row, p.transposed[c*p.out:(c+1)*p.out])
		}
	}
}

// accumulate is dW[out, in] += gᵀ·x, with dW packed; column is scratch.
func (p *pack) accumulate(g, x, dw, column []float32) {
	m := len(g) / p.out
	if p.in >= narrow {
		gemm(true, p.out, p.in, m, g, p.out, x, p.in, 1, dw, p.in)
		return
	}
	column = column[:p.in*p.out]
	clear(column)
	for i := range m {
		row := g[i*p.out : (i+1)*p.out]
		for c := range p.in {
			axpy(x[i*p.in+c], row, column[c*p.out:(c+1)*p.out])
		}
	}
	for c := range p.in {
		for j := range p.out {
			dw[j*p.in+c] += column[c*p.out+j]
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
