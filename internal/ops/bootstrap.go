package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
)

// EnsembleAdd is act(a + e): a [B·N, d] per point with e [B·k, d] per bootstrap gives [B·N·k, d], and a [B·N_c, d] per
// context point [B·N_c·k, d].
func (b *Builder) EnsembleAdd(a, e *G.Node, relu bool) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, d, _ := b.info(a)
	es, _, ed, _ := b.info(e)
	to := map[Space]Space{Point: Row, Context: Resample}[s]
	if to == 0 || es != Ensemble || d != ed {
		b.err = fmt.Errorf("ops: ensemble add of %v %v and %v %v", s, a.Shape(), es, e.Shape())
		return nil
	}
	return b.op(&Op{Kind: EnsembleAdd, Out: to, Width: d, ReLU: relu}, a, e)
}

// Gather picks rows of a function by index [B·N_c·k, 1], numbers in [0, N_c): out of values per context point
// [B·N_c, d], or per bootstrap out of its own values [B·N_c·k, d]. It stops gradients.
func (b *Builder) Gather(values, index *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, d, _ := b.info(values)
	is, _, width, _ := b.info(index)
	if s != Context && s != Resample || is != Resample || width != 1 {
		b.err = fmt.Errorf("ops: gather from %v %v by %v %v", s, values.Shape(), is, index.Shape())
		return nil
	}
	return b.op(&Op{Kind: Gather, Out: Resample, Width: d}, values, index)
}

// Residual is (y−μ)/σ of decoded [B·N_c·k, 2·dy] and y [B·N_c, dy]: [B·N_c·k, dy]. It stops gradients.
func (b *Builder) Residual(decoded, y *G.Node) *G.Node {
	if _, ok := b.decoded(decoded, y, 2, Resample); !ok {
		return nil
	}
	_, _, dy, _ := b.info(y)
	return b.op(&Op{Kind: Residual, Out: Resample, Width: dy}, decoded, y)
}

// Perturb is μ + σ·(residual − mean): the bootstrap's ỹ [B·N_c·k, dy] from decoded [B·N_c·k, 2·dy], residuals
// [B·N_c·k, dy] and their means per bootstrap [B·k, dy]. It stops gradients.
func (b *Builder) Perturb(decoded, residual, mean *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, width, _ := b.info(decoded)
	rs, _, dy, _ := b.info(residual)
	ms, _, mdy, _ := b.info(mean)
	if s != Resample || rs != Resample || ms != Ensemble || width != 2*dy || mdy != dy {
		b.err = fmt.Errorf("ops: perturb %v by %v around %v", decoded.Shape(), residual.Shape(), mean.Shape())
		return nil
	}
	return b.op(&Op{Kind: Perturb, Out: Resample, Width: dy}, decoded, residual, mean)
}
