package catalogue

// Table is the title of one of the paper's tables of results.
type Table string

// The paper's tables of results.
const (
	multimodalTable Table = "Multimodal synthetic data"
	speedFlowTable  Table = "Speed-flow data"
	imagesTable     Table = "Image completion"
	unimodalTable   Table = "Unimodal synthetic data (supplement)"
)

// Tables are the paper's tables in the paper's order.
var Tables = []Table{multimodalTable, speedFlowTable, imagesTable, unimodalTable}

// Number is a mean log-likelihood per point with the paper's ±, over 6 seeds.
type Number struct {
	Mean   float64 `json:"mean"`
	Spread float64 `json:"spread"`
}

// Result is the paper's result of a model on a benchmark: the log-likelihood per context point and
// per target point.
type Result struct{ Context, Target Number }

// Paper returns the paper's result of a model on a benchmark, and whether it has one.
func Paper(name, model string) (Result, bool) {
	r, ok := byModel(results[name])[model]
	return Result{Number{r[0], r[1]}, Number{r[2], r[3]}}, ok
}

// results are the paper's, of cnp, canp, bnp, cqnp and acqnp: context, its ±, target, its ±.
var results = map[string][][4]float64{
	"sawtooth": {
		{0.937, 0.023, 0.586, 0.038}, {1.191, 0.190, 0.341, 0.085}, {0.884, 0.038, 0.769, 0.039},
		{1.229, 0.031, 0.833, 0.035}, {1.386, 0.042, 1.026, 0.039},
	},
	"rbf": {
		{0.837, 0.058, 0.100, 0.023}, {1.269, 0.083, 0.225, 0.052}, {1.121, 0.008, 0.339, 0.009},
		{0.947, 0.042, 0.083, 0.037}, {1.215, 0.027, 0.254, 0.020},
	},
	"matern52": {
		{0.626, 0.056, -0.183, 0.013}, {1.058, 0.382, -0.015, 0.198}, {0.879, 0.018, -0.048, 0.018},
		{0.515, 0.039, -0.373, 0.041}, {0.912, 0.042, -0.117, 0.025},
	},
	"double-sine": {
		{-0.195, 0.009, -0.520, 0.019}, {0.436, 0.236, -1.742, 0.222}, {0.330, 0.010, 0.134, 0.017},
		{1.448, 0.042, 1.244, 0.049}, {1.582, 0.108, 1.349, 0.098},
	},
	"circle": {
		{-2.086, 0.204, -2.387, 0.216}, {-0.272, 0.043, -1.685, 0.082}, {0.150, 0.010, 0.065, 0.009},
		{2.047, 0.076, 1.932, 0.080}, {2.118, 0.059, 2.028, 0.057},
	},
	"lissajous": {
		{-2.212, 0.146, -2.962, 0.165}, {-1.112, 0.499, -2.151, 0.248}, {-0.314, 0.011, -0.434, 0.010},
		{0.798, 0.020, 0.508, 0.021}, {0.929, 0.038, 0.634, 0.034},
	},
	"speed-flow": {
		{0.845, 0.010, 0.719, 0.002}, {0.887, 0.010, 0.741, 0.014}, {0.879, 0.005, 0.720, 0.015},
		{1.518, 0.013, 1.495, 0.007}, {1.544, 0.001, 1.507, 0.006},
	},
	"mnist": {
		{1.061, 0.006, 0.938, 0.001}, {1.350, 0.003, 0.913, 0.006}, {1.128, 0.013, 1.061, 0.009},
		{2.683, 0.006, 2.609, 0.006}, {2.681, 0.011, 2.616, 0.013},
	},
	"fashion-mnist": {
		{0.963, 0.005, 0.872, 0.004}, {1.226, 0.007, 0.857, 0.024}, {1.039, 0.002, 0.971, 0.001},
		{2.012, 0.004, 1.932, 0.002}, {2.040, 0.016, 1.954, 0.015},
	},
	"svhn": {
		{3.554, 0.014, 3.388, 0.013}, {4.112, 0.002, 3.715, 0.016}, {3.679, 0.008, 3.580, 0.007},
		{4.725, 0.033, 4.447, 0.029}, {4.959, 0.042, 4.651, 0.034},
	},
	"omniglot": {
		{0.978, 0.004, 0.874, 0.009}, {1.366, 0.005, 0.974, 0.004}, {0.983, 0.006, 0.950, 0.004},
		{2.529, 0.034, 2.471, 0.038}, {2.516, 0.009, 2.461, 0.007},
	},
	"freyface": {
		{0.970, 0.083, 0.941, 0.088}, {1.062, 0.053, 1.015, 0.023}, {1.073, 0.015, 1.052, 0.014},
		{1.433, 0.062, 1.392, 0.061}, {1.522, 0.089, 1.475, 0.086},
	},
}
