package ops

// Kind names an operation.
type Kind string

// The kinds. A gradient kind may yield several results, which Op.Part tells apart.
const (
	Linear     Kind = "linear"      // act(base + in·Wᵀ)
	LinearGrad Kind = "linear_grad" // parts BaseGrad, InGrad, WeightGrad

	SetMean     Kind = "set_mean" // mean over the context points of a function or of a bootstrap
	SetMeanGrad Kind = "set_mean_grad"

	Add          Kind = "add"     // x + y
	Join         Kind = "join"    // columns of x, then those of y
	Columns      Kind = "columns" // some columns of a tensor
	Ones         Kind = "ones"    // 1 for every row
	Sigmoid      Kind = "sigmoid"
	SigmoidGrad  Kind = "sigmoid_grad"
	UniformLevel Kind = "uniform_level" // τ = 0.001 + 0.998·u
	UniformLogit Kind = "uniform_logit" // logit of the same τ

	LayerNorm     Kind = "layer_norm"      // of every row, with a gain and a shift
	LayerNormGrad Kind = "layer_norm_grad" // parts NormInGrad, GainGrad, ShiftGrad

	Attention     Kind = "attention"      // multi-head attention over context points
	AttentionGrad Kind = "attention_grad" // parts QueryGrad, KeyGrad, ValueGrad

	EnsembleAdd     Kind = "ensemble_add"      // act(a per point + b per bootstrap)
	EnsembleAddGrad Kind = "ensemble_add_grad" // parts PointGrad, EnsembleGrad
	Gather          Kind = "gather"            // rows named by indices
	Residual        Kind = "residual"          // (y−μ)/σ
	Perturb         Kind = "perturb"           // μ + σ·(residual − mean)

	GaussianLik     Kind = "gaussian" // log-likelihood, summed over channels
	GaussianLikGrad Kind = "gaussian_grad"
	MixtureLik      Kind = "mixture"      // likewise, of the asymmetric-Laplace mixture over a point's levels
	MixtureLikGrad  Kind = "mixture_grad" // parts ComponentsGrad, LogitGrad
	LogMeanExp      Kind = "log_mean_exp" // over the levels of a point
	LogMeanExpGrad  Kind = "log_mean_exp_grad"
	NegMean         Kind = "neg_mean" // −Σ of the inputs' means over all points
	NegMeanGrad     Kind = "neg_mean_grad"
)

// Parts of gradients with several results.
const (
	BaseGrad   = 0
	InGrad     = 1
	WeightGrad = 2

	NormInGrad = 0
	GainGrad   = 1
	ShiftGrad  = 2

	QueryGrad = 0
	KeyGrad   = 1
	ValueGrad = 2

	PointGrad    = 0
	EnsembleGrad = 1

	ComponentsGrad = 0
	LogitGrad      = 1
)
