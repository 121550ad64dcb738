package onnx

import (
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict/post"
)

// A network is a model in a graph under construction. In the shapes, B is the number of functions,
// N_c of context points, N of targets, N_τ of levels and k of bootstraps.
type network struct {
	*graph
	config config.Model
	post   post.Postprocessing
	dx, dy int
	parts  int // Gaussians that a row of out states for a channel

	contextX, contextY value            // [B, N_c, dx], [B, N_c, dy]; see presence
	present            presence         // of context points
	x                  value            // [B, N, dx]
	fed                map[string]value // the inputs of the model's own graph, of four axes
}

// newNetwork returns a network without parameters.
func newNetwork(g *graph, m *models.Model, p post.Postprocessing) *network {
	n := &network{graph: g, config: m.Config(), post: p, parts: m.Parts()}
	n.dx, n.dy = m.Dims()
	return n
}

// decoding is the end of the network, which the likelihood reads.
type decoding struct {
	out   value // [B, N, N_τ, 3·dy] of quantile models, [B, N, k, RowWidth] of the others; k is 1 without bootstraps
	logit value // [B, N, N_τ, 1]; quantile models
}
