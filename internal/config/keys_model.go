package config

import (
	"cmp"
	"strconv"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// The values of model.adaptor_form.
const (
	Plain    = "plain"
	Residual = "residual"
)

// The values of model.heads_form: whether the heads of CANP's attention have maps of their own.
const (
	Separate = "separate"
	Shared   = "shared" // all heads are alike
)

// The values of model.scale_form: the scale σ of a component at level τ. s = f + (1−f)·softplus(·) is
// the decoder's scale.
const (
	PaperScale   = "paper"   // σ = s
	NaturalScale = "natural" // σ = 4τ(1−τ)·s, so that the tails of no component are wider than 4s
)

// The values of model.head: what the decoder of a model without levels states of each channel of y.
const (
	GaussianHead        = "gaussian"         // a Gaussian: the paper's
	MixtureHead         = "gaussian-mixture" // a mixture of model.parts Gaussians
	QuantileMixtureHead = "quantile-mixture" // ACQNP's density of model.parts levels, which the decoder states
)

// Heads returns the values of model.head, the default first.
func Heads() []string { return []string{GaussianHead, MixtureHead, QuantileMixtureHead} }

// HeadName returns Head, or its default if it is not set.
func (m Model) HeadName() string { return cmp.Or(m.Head, GaussianHead) }

// DefaultParts is the number of parts of a mixture without model.parts.
const DefaultParts = 20

// The values of model.aggregation.
const (
	Mean        = "mean"      // the paper's
	Attention   = "attention" // CANP's encoder
	Transformer = "transformer"
	Groups      = "groups" // a group is a data set, whose inner groups read one another
)

// Model is the architecture; modelKeys say what the fields mean. The lists are hidden widths of MLPs,
// in the paper's notation [in]×[hidden…]×[out]. BNP is described as its authors do it, by numbers of
// linear layers.
type Model struct {
	Name            string  `yaml:"name"`
	Representation  int     `yaml:"representation,omitempty"`
	Encoder         []int   `yaml:"encoder,flow,omitempty"`
	Adaptor         []int   `yaml:"adaptor,flow,omitempty"`
	Decoder         []int   `yaml:"decoder,flow,omitempty"`
	AdaptorForm     string  `yaml:"adaptor_form,omitempty"` // Plain or Residual
	Aggregation     string  `yaml:"aggregation,omitempty"`  // Mean, Attention, Transformer or Groups
	KeyEncoder      []int   `yaml:"key_encoder,flow,omitempty"`
	QueryEncoder    []int   `yaml:"query_encoder,flow,omitempty"`
	Heads           int     `yaml:"heads,omitempty"`
	HeadsForm       string  `yaml:"heads_form,omitempty"` // Separate or Shared
	Layers          int     `yaml:"layers,omitempty"`
	Feedforward     int     `yaml:"feedforward,omitempty"`
	Width           int     `yaml:"width,omitempty"`
	PreDepth        int     `yaml:"pre_depth,omitempty"`
	PostDepth       int     `yaml:"post_depth,omitempty"`
	DecoderDepth    int     `yaml:"decoder_depth,omitempty"`
	TrainBootstraps int     `yaml:"train_bootstraps,omitempty"`
	EvalBootstraps  int     `yaml:"eval_bootstraps,omitempty"`
	Head            string  `yaml:"head,omitempty"`  // one of Heads; "" is GaussianHead
	Parts           int     `yaml:"parts,omitempty"` // of a mixture; 0 is DefaultParts
	SigmaFloor      float64 `yaml:"sigma_floor,omitempty"`
	ScaleForm       string  `yaml:"scale_form,omitempty"` // PaperScale or NaturalScale
}

var modelKeys = []entry{{
	name: "model.name", accepts: name(models), preset: none("none, must be set"),
	help: "The model.",
	note: "acqnp, cqnp, cnp, canp or bnp",
}, {
	name: "model.representation", models: encoding, accepts: whole(1, maxWidth), preset: always(128).except(64, speedFlow),
	help: "Width of r, the encoded context.",
	note: "width of r, the encoded context",
}, {
	name: "model.encoder", models: encoding, accepts: widths,
	preset: always([]int{128, 128, 128}).except([]int{64, 64}, speedFlow),
	help:   "Hidden widths of the encoder, an MLP with a ReLU after each hidden layer.",
	note:   "hidden widths, ReLU after each",
}, {
	name: "model.adaptor", models: []string{catalogue.ACQNP}, accepts: widths, preset: always([]int{128, 128, 128, 128, 128}).except([]int{64, 64}, speedFlow),
	help: "Hidden widths of the adaptor ψ, an MLP that chooses the quantile levels τ.",
	note: "hidden widths of ψ, which chooses the levels",
}, {
	name: "model.decoder", models: encoding, accepts: widths,
	preset: always([]int{128, 128, 128}).except([]int{64, 64}, speedFlow),
	help:   "Hidden widths of the decoder, an MLP that ends in the parameters of the likelihood.",
}, {
	name: "model.adaptor_form", models: []string{catalogue.ACQNP}, accepts: name([]string{Plain, Residual}),
	preset: always(Plain).except(Residual, csv, groups),
	help:   "plain: τ = sigmoid(ψ(r, x, u)), the paper's, and the decoder reads τ; residual: ψ is added to the logit of CQNP's τ, and the decoder reads τ and u.",
	note:   "plain, the paper's; or residual, whose levels start apart",
}, {
	name: "model.aggregation", models: aggregating, accepts: name([]string{Mean, Attention, Transformer, Groups}),
	preset: always(Mean).except(Groups, groups),
	help:   "How r is computed from the context. mean: one r for each group, the paper's; attention (CANP's), transformer, groups (of data sets): one r for each point.",
	note:   "of the context: mean, attention or transformer",
}, {
	name: "model.key_encoder", models: encoding, aggregations: []string{Attention}, accepts: widths,
	preset: always([]int{128}).except([]int{64}, speedFlow),
	help:   "Hidden widths of the MLP that makes keys from the x of the context.",
	note:   "hidden widths; reads the context's x",
}, {
	name: "model.query_encoder", models: encoding, aggregations: []string{Attention}, accepts: widths,
	preset: always([]int{128}).except([]int{64}, speedFlow),
	help:   "Hidden widths of the MLP that makes queries from x.",
	note:   "hidden widths; reads x",
}, {
	name: "model.heads", models: encoding, aggregations: []string{Attention, Transformer, Groups}, accepts: whole(1, 1024),
	preset: follow("8; 4 for aggregation transformer and aggregation groups", func(c choice) any {
		if c.aggregates() != Attention {
			return 4
		}
		return 8
	}),
	help: "Number of attention heads, a divisor of model.representation.",
	note: "of the attention",
}, {
	name: "model.heads_form", models: []string{catalogue.CANP}, accepts: name([]string{Separate, Shared}), preset: none(Separate),
	help: "separate: each head has its own maps; shared: all heads have the same ones, as in the authors' file until July 2023.",
	note: "separate; or shared, as in the authors' older file",
}, {
	name: "model.layers", models: aggregating, aggregations: []string{Transformer, Groups}, accepts: whole(1, maxLayers), preset: always(6),
	help: "Number of layers of the transformer.",
	note: "of the transformer",
}, {
	name: "model.feedforward", models: aggregating, aggregations: []string{Transformer, Groups}, accepts: whole(1, maxWidth), preset: always(128),
	help: "Hidden width of the feed-forward network in each layer of the transformer.",
	note: "hidden width of the MLP in each layer",
}, {
	name: "model.width", models: []string{catalogue.BNP}, accepts: whole(1, maxWidth), preset: always(128).except(64, speedFlow),
	help: "Width of every layer, d_h.",
	note: "d_h, the width of every layer",
}, {
	name: "model.pre_depth", models: []string{catalogue.BNP}, accepts: whole(2, maxLayers),
	preset: always(5).except(4, speedFlow),
	help:   "Number of linear layers of an encoder before the mean over the context, l_pre.",
	note:   "linear layers of an encoder before the mean",
}, {
	name: "model.post_depth", models: []string{catalogue.BNP}, accepts: whole(2, maxLayers), preset: always(3),
	help: "Number of linear layers of an encoder after the mean over the context, l_post.",
	note: "linear layers of an encoder after the mean",
}, {
	name: "model.decoder_depth", models: []string{catalogue.BNP}, accepts: whole(2, maxLayers),
	preset: always(5).except(4, speedFlow),
	help:   "Number of linear layers of the decoder, l_dec.",
	note:   "linear layers",
}, {
	name: "model.train_bootstraps", models: []string{catalogue.BNP}, accepts: whole(1, maxLevels), preset: always(4),
	help: "Number k of contexts that training resamples from each context.",
	note: "k: contexts resampled from the context",
}, {
	name: "model.eval_bootstraps", models: []string{catalogue.BNP}, accepts: whole(1, maxLevels), preset: always(50),
	help: "Number k of contexts that evaluation and prediction resample from each context.",
}, {
	name: "model.head", models: []string{catalogue.CNP}, accepts: name(Heads()), preset: none(GaussianHead),
	help: "What the decoder states of a column of y. gaussian: the paper's; gaussian-mixture: model.parts Gaussians; quantile-mixture: acqnp's density of so many levels.",
	note: "or gaussian, the paper's",
}, {
	name: "model.parts", models: []string{catalogue.CNP}, heads: Heads()[1:], accepts: whole(1, 256), preset: none(strconv.Itoa(DefaultParts)),
	help: "Number of parts of model.head gaussian-mixture and quantile-mixture.",
	note: "of the mixture",
}, {
	name: "model.sigma_floor", accepts: between0And1, preset: follow("0.1; 0.01 for cqnp and acqnp", func(c choice) any { return SigmaFloor(c.model) }),
	help: "Lower bound f of the likelihood's scale: σ = f + (1−f)·softplus(s), in the model's units.",
	note: "f: σ = f + (1−f)·softplus(s), in the model's units",
}, {
	name: "model.scale_form", models: aggregating, accepts: name([]string{PaperScale, NaturalScale}),
	heads:  []string{QuantileMixtureHead},
	preset: always(PaperScale).except(NaturalScale, csv, groups),
	help:   "Scale of a component at level τ. paper: σ, the decoder's scale; natural: 4τ(1−τ)·σ, so that no tail is wider than 4σ.",
	note:   "paper; or natural, tails that end: σ times 4τ(1−τ)",
}}
