package ops

import (
	"maps"
	"slices"

	G "gorgonia.org/gorgonia"
)

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

	Mul       Kind = "mul"    // x·y
	Affine    Kind = "affine" // scale·x + shift
	Exp       Kind = "exp"
	Log       Kind = "log"
	Softplus  Kind = "softplus"
	Positive  Kind = "positive"    // 1 where x ≥ 0, and 0 elsewhere
	Pad       Kind = "pad"         // columns of zeros around those of a tensor
	Spread    Kind = "spread"      // repeats rows for their levels, or a column
	Sum       Kind = "sum"         // over what Spread repeats
	LogSumExp Kind = "log_sum_exp" // likewise

	LayerNorm     Kind = "layer_norm"      // of every row, with a gain and a shift
	LayerNormGrad Kind = "layer_norm_grad" // parts NormInGrad, GainGrad, ShiftGrad

	Attention     Kind = "attention"      // multi-head attention
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

// operation declares everything of a kind but the kernels of the faster engines.
type operation struct {
	// shape checks the spaces and widths of the inputs and sets the space and width of the result. It
	// returns false for inputs that do not fit. It is nil for a gradient: only gradients builds it.
	shape func(o *Op, in G.Nodes) bool
	// gradients builds the gradients of the inputs from the nodes of the inputs, the result and the
	// result's gradient. An operation without it stops gradients: the method stops them at the
	// bootstrap's operations, and the others read only data.
	gradients func(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error)
	// single and double are the plain kernel in float32 and in float64.
	single plain[float32]
	double plain[float64]
	// cost counts the multiply-adds of the matrix products at the extents. asked says which parts of
	// a gradient the graph needs.
	cost func(o *Op, e Extents, asked [3]bool) float64
	// form writes the operation in an export's dialect. Only operations of graphs of predictions need it.
	form form
	// across and reduces answer Op.Across and Op.Reduces. If they are nil, the spaces tell.
	across, reduces func(o *Op) bool
}

// table declares every operation. init fills it, because a gradient consists of operations itself,
// and Go refuses a variable that its own value refers to.
var table map[Kind]operation

func init() {
	table = map[Kind]operation{
		Linear:     {shape: linearShape, gradients: linearGradients, single: linear[float32], double: linear[float64], cost: linearCost, form: linearForm},
		LinearGrad: {single: linearGrad[float32], double: linearGrad[float64], cost: linearGradCost},

		SetMean:     {shape: setMeanShape, gradients: setMeanGradients, single: setMean[float32], double: setMean[float64], cost: noProducts, form: setMeanForm},
		SetMeanGrad: {single: setMeanGrad[float32], double: setMeanGrad[float64], cost: noProducts},

		Add:          {shape: sameShape, gradients: addGradients, single: add[float32], double: add[float64], cost: noProducts, form: addForm},
		Join:         {shape: joinShape, gradients: joinGradients, single: join[float32], double: join[float64], cost: noProducts, form: joinForm},
		Columns:      {shape: columnsShape, gradients: composed(columnsGradient), single: columns[float32], double: columns[float64], cost: noProducts, form: columnsForm},
		Ones:         {shape: onesShape, single: ones[float32], double: ones[float64], cost: noProducts, form: onesForm},
		Sigmoid:      {shape: sameShape, gradients: sigmoidGradients, single: sigmoids[float32], double: sigmoids[float64], cost: noProducts, form: sigmoidForm},
		SigmoidGrad:  {single: sigmoidGrad[float32], double: sigmoidGrad[float64], cost: noProducts},
		UniformLevel: {shape: rowShape, single: uniformLevel[float32], double: uniformLevel[float64], cost: noProducts, form: uniformLevelForm},
		UniformLogit: {shape: rowShape, single: uniformLogit[float32], double: uniformLogit[float64], cost: noProducts, form: uniformLogitForm},

		Mul:       {shape: sameShape, gradients: composed(mulGradient), single: mul[float32], double: mul[float64], cost: noProducts, form: mulForm},
		Affine:    {shape: sameShape, gradients: composed(affineGradient), single: byElement(affine[float32]), double: byElement(affine[float64]), cost: noProducts, form: affineForm},
		Exp:       {shape: sameShape, gradients: composed(expGradient), single: byElement(expOf[float32]), double: byElement(expOf[float64]), cost: noProducts, form: expForm},
		Log:       {shape: sameShape, gradients: composed(logGradient), single: byElement(logOf[float32]), double: byElement(logOf[float64]), cost: noProducts, form: logForm},
		Softplus:  {shape: sameShape, gradients: composed(softplusGradient), single: byElement(softplusOf[float32]), double: byElement(softplusOf[float64]), cost: noProducts, form: softplusForm},
		Positive:  {shape: sameShape, single: byElement(positive[float32]), double: byElement(positive[float64]), cost: noProducts},
		Pad:       {shape: padShape, gradients: composed(padGradient), single: pad[float32], double: pad[float64], cost: noProducts},
		Spread:    {shape: spreadShape, gradients: composed(spreadGradient), single: spread[float32], double: spread[float64], cost: noProducts, form: spreadForm},
		Sum:       {shape: sumShape, gradients: composed(sumGradient), single: sum[float32], double: sum[float64], cost: noProducts, form: narrowing(sumOver)},
		LogSumExp: {shape: sumShape, gradients: composed(logSumExpGradient), single: logSumExp[float32], double: logSumExp[float64], cost: noProducts, form: narrowing(logSumExpOver)},

		LayerNorm:     {shape: layerNormShape, gradients: layerNormGradients, single: layerNorm[float32], double: layerNorm[float64], cost: noProducts, form: layerNormForm},
		LayerNormGrad: {single: layerNormGrad[float32], double: layerNormGrad[float64], cost: noProducts},

		Attention: {shape: attentionShape, gradients: attentionGradients, single: attention[float32], double: attention[float64], cost: attentionCost, form: attentionForm,
			across: toItself},
		AttentionGrad: {single: attentionGrad[float32], double: attentionGrad[float64], cost: attentionGradCost,
			across: gradToItself, reduces: sumsOverQueries},

		EnsembleAdd:     {shape: ensembleAddShape, gradients: ensembleAddGradients, single: ensembleAdd[float32], double: ensembleAdd[float64], cost: noProducts, form: ensembleAddForm},
		EnsembleAddGrad: {single: ensembleAddGrad[float32], double: ensembleAddGrad[float64], cost: noProducts},
		Gather:          {shape: gatherShape, single: gather[float32], double: gather[float64], cost: noProducts, form: gatherForm, across: always},
		Residual:        {shape: residualShape, single: residual[float32], double: residual[float64], cost: noProducts, form: residualForm},
		Perturb:         {shape: perturbShape, single: perturb[float32], double: perturb[float64], cost: noProducts, form: perturbForm},

		GaussianLik:     {shape: gaussianShape, gradients: gaussianGradients, single: gaussian[float32], double: gaussian[float64], cost: noProducts},
		GaussianLikGrad: {single: gaussianGrad[float32], double: gaussianGrad[float64], cost: noProducts},
		MixtureLik:      {shape: mixtureShape, gradients: mixtureGradients, single: mixture[float32], double: mixture[float64], cost: noProducts},
		MixtureLikGrad:  {single: mixtureGrad[float32], double: mixtureGrad[float64], cost: noProducts},
		LogMeanExp:      {shape: logMeanExpShape, gradients: logMeanExpGradients, single: logMeanExp[float32], double: logMeanExp[float64], cost: noProducts},
		LogMeanExpGrad:  {single: logMeanExpGrad[float32], double: logMeanExpGrad[float64], cost: noProducts},
		NegMean:         {shape: negMeanShape, gradients: negMeanGradients, single: negMean[float32], double: negMean[float64], cost: noProducts},
		NegMeanGrad:     {single: negMeanGrad[float32], double: negMeanGrad[float64], cost: noProducts},
	}
}

// Kinds returns the kinds of the table, sorted. Engines have a kernel for each.
func Kinds() []Kind { return slices.Sorted(maps.Keys(table)) }

func noProducts(*Op, Extents, [3]bool) float64 { return 0 }

func always(*Op) bool { return true }

// sameShape accepts inputs of one space and width, which are those of the result.
func sameShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], o.Widths[0]
	for i, s := range o.In {
		if s <= Scalar || s != o.Out || o.Widths[i] != o.Width {
			return false
		}
	}
	return true
}

// rowShape is sameShape for levels of points.
func rowShape(o *Op, in G.Nodes) bool { return sameShape(o, in) && o.Out == Row }
