package draft

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models/kde"
	"github.com/acqnp/acqnp/internal/predict/post"
)

// A reading says how the network's outputs become predictions: the tails, and the weight of a simple
// model. Training does not depend on it, so choosing it costs only validations.
type reading struct {
	tailChoice
	pool float64 // pool_weight
}

// A tailChoice is the tails of a predicted Gaussian. After training on few functions the network's σ is
// uncertain, and the mean of Gaussians over an uncertain σ is a Student's t. It is also too small on
// functions that the network has not seen.
type tailChoice struct {
	df    float64 // tail_df; 0: those of a Gaussian
	scale float64 // sigma_scale; 0: 1
}

// postprocessing returns the section postprocessing of a configuration with the reading. kernel has the
// widths of its kernel density, or is nil.
func (r reading) postprocessing(kernel []float64) config.Postprocessing {
	p := config.Postprocessing{TailDF: r.df, SigmaScale: r.scale, PoolWeight: r.pool, PoolKernel: kernel}
	if p.SigmaScale == 1 {
		p.SigmaScale = 0
	}
	return p
}

// wideTails are the default with few data. plainTails are those of the network's own Gaussian.
var wideTails, plainTails = tailChoice{5, 1.1}, tailChoice{0, 1}

// The default weights of a simple model beside the network. The mixture of both is better than either
// if they err in different places. A weight W costs at most −log(1−W) nats.
const (
	mixedWeight  = 0.2
	kernelWeight = 0.1
)

// choices are the readings between which a candidate's trials choose: all pairs of tails and weights. The
// first of each list is the default. Another replaces it only if it is clearly better.
type choices struct {
	tails []tailChoice
	pools []float64
}

// choicesOf returns the choices of a candidate.
func (s *search) choicesOf(c candidate) choices { return choices{s.tailsOf(c), s.poolsOf(c)} }

// tailsOf returns the tails of a candidate's choices. Few data may not have the rare targets that are far
// off, so their validations cannot justify a Gaussian's tails.
func (s *search) tailsOf(c candidate) []tailChoice {
	first, dfs := plainTails, []float64{0, 5, 10, 20}
	if s.few() {
		first, dfs = wideTails, dfs[1:]
	}
	if !c.gaussian() {
		return []tailChoice{{}}
	}
	all := []tailChoice{first}
	for _, df := range dfs {
		for _, scale := range []float64{1, 1.1, 1.2, 1.35, 1.5} {
			if t := (tailChoice{df, scale}); t != first {
				all = append(all, t)
			}
		}
	}
	return all
}

// poolsOf returns the weights of a candidate's choices. With few data the final model is an ensemble. It
// gains less from a simple model than the single network of a trial does, so the trials choose only
// between the default weight and none.
func (s *search) poolsOf(c candidate) []float64 {
	first := kernelWeight
	switch {
	case c.model == "bnp" || len(s.o.Y) > 1:
		return []float64{0}
	case c.baseline[0] > 0:
		first = mixedWeight
	case s.data.SplitBy != "point":
		return []float64{0}
	}
	if s.few() {
		return []float64{first, 0}
	}
	return append([]float64{first}, slices.DeleteFunc([]float64{0, 0.1, 0.2, 0.35, 0.5}, func(w float64) bool { return w == first })...)
}

// all returns the choices as trials have them, in the order of at.
func (c choices) all() []post.Postprocessing {
	all := make([]post.Postprocessing, len(c.tails)*len(c.pools))
	for i := range all {
		all[i].Postprocessing = c.at(i).postprocessing(nil)
	}
	return all
}

// at returns choice i.
func (c choices) at(i int) reading {
	return reading{c.tails[i/len(c.pools)], c.pools[i%len(c.pools)]}
}

// kernelOf returns the widths of a candidate's kernel. They depend only on the columns whose logarithm is
// taken.
func (s *search) kernelOf(c candidate) (kde.Widths, error) {
	key := fmt.Sprint(c.log)
	if w, known := s.kernels[key]; known {
		return w, nil
	}
	c.reading = reading{}
	e, err := s.experiment(c)
	if err != nil {
		return kde.Widths{}, err
	}
	source, err := datasets.Open(e, s.o.DataDir)
	if err != nil {
		return kde.Widths{}, err
	}
	s.kernels[key] = datasets.KernelWidths(source)
	return s.kernels[key], nil
}

// title names the reading after the name of a candidate.
func (r reading) title(c candidate) (text string) {
	if r.df != 0 {
		text = fmt.Sprintf(", tails of t(%g)", r.df)
	}
	if r.scale != 0 && r.scale != 1 {
		text += fmt.Sprintf(", %g σ", r.scale)
	}
	if r.pool > 0 {
		text += fmt.Sprintf(", %g of the %s", r.pool, map[bool]string{true: "mixed model", false: "kernel"}[c.baseline[0] > 0])
	}
	return text
}
