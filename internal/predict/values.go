package predict

import (
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// A Value is one thing that an answer says. It is declared once: the columns of tables, the flags of acqnp predict, the
// keys of acqnp serve and the descriptions of all of these follow.
type Value struct {
	Name  string       // of its column; with parameters, the start of the names of its columns; "" for no column
	Key   string       // in answers over HTTP and, if it is asked for, in requests; "" for none
	Flag  string       // of acqnp predict; "" for none
	Kind  tabular.Kind // of a cell
	Takes Takes
	Usual []float64 // parameters where acqnp predict is given none
	Doc   string    // what it is, with its parameter in `BACKQUOTES`
	Of    string    // the JSON schema of a number of it; "" for a number or null
	Work  float64   // evaluations of a component of the distribution for a cell, about
	At    []float64 // the parameters at which it is wanted

	// Numbers returns a cell for each parameter, or one if the value takes none. A cell is a number, several numbers, or
	// pairs (low, high) one after the other, as Kind says.
	Numbers func(a *Answer, at []float64) [][]float64
	JSON    func(a *Answer) []byte // instead of Numbers, for the kind tabular.Object; nil leaves the value out

	calibrated quantity // of its parameters, which a calibration corrects
}

// Takes says how a value is asked for.
type Takes int

// The ways to ask for a value.
const (
	Nothing  Takes = iota // it is always there
	Switch                // it is there or not
	Levels                // at numbers between 0 and 1
	Outcomes              // at values of y
	Range                 // at values of y, which may be evenly spaced
	Count                 // so many times
)

// A quantity is what a calibration corrects, if it is asked for by its number: it knows up to which levels and masses.
type quantity int

const (
	uncorrected quantity = iota
	level
	mass
)

// Want returns the value of a name, which is one of [Values], at parameters.
func Want(name string, at ...float64) Value {
	v := Values[slices.IndexFunc(Values, func(v Value) bool { return v.Name == name })]
	v.At = at
	return v
}

// WantDraws returns n draws.
func WantDraws(n int) Value {
	w := Want("draw")
	for i := range n {
		w.At = append(w.At, float64(i+1))
	}
	return w
}

// Always returns the values of a predictor that need not be asked for.
func Always(a About) []Value {
	asked := func(v Value) bool { return v.Takes != Nothing }
	return slices.Concat(GroupValues(a), slices.DeleteFunc(slices.Clone(Values), asked))
}

// GroupValues returns what is said of a group, by a predictor that recalls groups.
func GroupValues(a About) []Value {
	switch {
	case !a.Recalls:
		return nil
	case !a.Nested:
		return groupValues[:2]
	}
	return groupValues
}

var groupValues = []Value{
	single("known_fit", "fit", tabular.Integer, ofCount, "how many points of the group are known from the data of the fit", func(a *Answer) float64 { return float64(a.Question.Recalled) }),
	single("known_context", "context", tabular.Integer, ofCount, "how many are known from the context alone", func(a *Answer) float64 { return float64(a.Question.Known.Len() - a.Question.Recalled) }),
	single("known_beside", "beside", tabular.Integer, ofCount, "in groups in groups, how many points of the other groups are known", func(a *Answer) float64 { return float64(a.Question.KnownOfSiblings()) }),
}

// JSON schemas of numbers.
const (
	ofCount       = "{type: integer, minimum: 0}"
	ofProbability = "{type: number, minimum: 0, maximum: 1}"
)

// single returns a value of one number, without parameters.
func single(name, key string, kind tabular.Kind, schema, doc string, of func(a *Answer) float64) Value {
	return Value{Name: name, Key: key, Kind: kind, Of: schema, Doc: doc, Numbers: func(a *Answer, _ []float64) [][]float64 { return [][]float64{{of(a)}} }}
}

// each returns a cell for each number.
func each(values []float64) [][]float64 {
	cells := make([][]float64, len(values))
	for i := range values {
		cells[i] = values[i : i+1]
	}
	return cells
}

// of returns a function that computes a number for each parameter.
func of(f func(a *Answer, at float64) float64) func(a *Answer, at []float64) [][]float64 {
	return func(a *Answer, at []float64) [][]float64 {
		values := make([]float64, len(at))
		for i, v := range at {
			values[i] = f(a, v)
		}
		return each(values)
	}
}

// known returns how many values of the channel are known.
func (a *Answer) known() int { return a.Target.KnownOf(a.Channel) }

var (
	mean      = single("mean", "mean", tabular.Number, "", "the mean", func(a *Answer) float64 { return a.Mean() })
	deviation = single("sd", "sd", tabular.Number, "", "the standard deviation", func(a *Answer) float64 { return math.Sqrt(a.Variance()) })
)

// Values are what an answer may say of a distribution, in the order of columns. A new entry is all that a new value takes.
var Values = []Value{
	mean,
	deviation,
	{Key: "atoms", Kind: tabular.Object, Doc: "the bounds of y and their probabilities; without bounds, and of whole numbers, of which each has one, there are none", JSON: atoms},
	{Name: "q", Key: "quantiles", Flag: "quantiles", Kind: tabular.Number, Takes: Levels, Usual: []float64{0.05, 0.25, 0.5, 0.75, 0.95}, Work: 10,
		Doc: "the quantiles of these `LEVELS`", calibrated: level,
		Numbers: func(a *Answer, at []float64) [][]float64 {
			at, _ = a.Calibrated.Corrected(a.Channel, a.known(), at, nil)
			return each(likelihood.ApproximateQuantiles(a.Distribution.Distribution, at...))
		}},
	{Name: "hdr", Key: "regions", Flag: "hdr", Kind: tabular.Pairs, Takes: Levels, Usual: []float64{0.9}, Work: 400,
		Doc: "the smallest sets of y that hold these `PROBABILITIES`; two branches give two intervals", calibrated: mass,
		Numbers: func(a *Answer, at []float64) (cells [][]float64) {
			_, at = a.Calibrated.Corrected(a.Channel, a.known(), nil, at)
			for _, set := range likelihood.HighestDensities(a.Distribution.Distribution, at...) {
				pairs := make([]float64, 0, 2*len(set))
				for _, s := range set {
					pairs = append(pairs, s.Low, s.High)
				}
				cells = append(cells, pairs)
			}
			return cells
		}},
	{Name: "density", Key: "density", Flag: "density", Kind: tabular.Number, Takes: Range, Work: 1, Doc: "the density at values of y",
		Numbers: func(a *Answer, at []float64) [][]float64 {
			return each(likelihood.Densities(a.Distribution.Distribution, at))
		}},
	{Name: "cdf", Key: "cdf", Flag: "cdf", Kind: tabular.Number, Takes: Range, Work: 1, Of: ofProbability, Doc: "the probability of a y up to each of some values",
		Numbers: of(func(a *Answer, y float64) float64 {
			return a.probability(y, a.Calibrated.CDF(a.Channel, a.known(), a.CDF(y)))
		})},
	{Name: "exceed", Key: "exceed", Flag: "exceed", Kind: tabular.Number, Takes: Outcomes, Work: 1, Of: ofProbability, Doc: "the probability of more than each `Y`",
		Numbers: of(func(a *Answer, y float64) float64 {
			return a.probability(y, a.Calibrated.Survival(a.Channel, a.known(), a.Survival(y)))
		})},
	{Name: "modes", Key: "modes", Flag: "modes", Kind: tabular.Numbers, Takes: Switch, Work: 200, Doc: "the peaks of the density, the highest first",
		Numbers: func(a *Answer, _ []float64) [][]float64 {
			return [][]float64{likelihood.Modes(a.Distribution.Distribution)}
		}},
	{Name: "draw", Flag: "draws", Kind: tabular.Number, Takes: Count, Doc: "a `NUMBER` of random draws",
		Numbers: of(func(a *Answer, i float64) float64 { return a.Target.Draws[(int(i)-1)*len(a.Target.Channels)+a.Channel] })},
	{Name: "components", Key: "components", Flag: "components", Kind: tabular.Object, Takes: Switch, Doc: "the parts of the mixture",
		JSON: func(a *Answer) []byte { return a.componentsJSON() }},
}

// ScoreValues are what scores say of a target and channel, in the order of columns.
var ScoreValues = []Value{
	single("y", "y", tabular.Number, "{type: number}", "the known y, or the limit of one of which the side is known: then crps and pit are empty (null in JSON)", func(a *Answer) float64 { return a.Score.Y }),
	single("log_density", "log_density", tabular.Number, "", "the log density of y, in nats, -Inf (null in JSON) where it is 0", func(a *Answer) float64 { return a.Score.LogDensity }),
	single("crps", "crps", tabular.Number, "{type: [number, 'null'], minimum: 0}", "the quantile-weighted CRPS, in the units of y; less is better", func(a *Answer) float64 { return a.Score.CRPS }),
	single("pit", "pit", tabular.Number, "{type: [number, 'null'], minimum: 0, maximum: 1}", "the probability of a smaller y", func(a *Answer) float64 { return a.Score.PIT }),
	mean,
	deviation,
}

// Parameter returns the word for what the value takes, such as levels; "" for values of y and for nothing.
func (v Value) Parameter() string {
	_, after, _ := strings.Cut(v.Doc, "`")
	word, _, _ := strings.Cut(after, "`")
	return strings.ToLower(word)
}
