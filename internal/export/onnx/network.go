package onnx

import (
	"github.com/acqnp/acqnp/internal/models"
)

// A network is a model in a graph under construction. In the shapes, B is the number of functions,
// N_c of context points, N of targets, N_τ of levels and k of bootstraps.
type network struct {
	*graph
	dx, dy int
	parts  int // of models.Model

	contextX, contextY value            // [B, N_c, dx], [B, N_c, dy]; see presence
	present            presence         // of context points
	x                  value            // [B, N, dx]
	fed                map[string]value // the inputs of the model's own graph, of four axes
}

// newNetwork returns a network without parameters.
func newNetwork(g *graph, m *models.Model) *network {
	n := &network{graph: g, parts: m.Parts()}
	n.dx, n.dy = m.Dims()
	return n
}
