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
	b, _ := Find(name)
	r, ok := b.Results[model]
	return r, ok
}

// result returns a Result from the numbers as the tables print them.
func result(context, contextSpread, target, targetSpread float64) Result {
	return Result{Number{context, contextSpread}, Number{target, targetSpread}}
}
