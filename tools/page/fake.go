// Package page tests the page of `acqnp serve` in a headless Chromium: against a small server whose
// predictions come from a formula, and against the real one with small models of random weights.
package page

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/acqnp/acqnp/internal/serve/page"
)

type column struct {
	Name       string   `json:"name"`
	Unit       string   `json:"unit,omitempty"`
	Low        *float64 `json:"low,omitempty"`
	High       *float64 `json:"high,omitempty"`
	Categories []string `json:"categories,omitempty"`
}

type columns struct {
	X []column `json:"x"`
	Y []column `json:"y"`
}

type trained struct {
	Name       string  `json:"name"`
	Model      string  `json:"model"`
	Benchmark  string  `json:"benchmark"`
	File       string  `json:"file,omitempty"`
	Formula    string  `json:"formula,omitempty"`
	Group      string  `json:"group,omitempty"`
	Columns    columns `json:"columns"`
	Parameters int     `json:"parameters"`
	Steps      int     `json:"steps"`
}

func numeric(name, unit string, low, high float64) column {
	return column{Name: name, Unit: unit, Low: &low, High: &high}
}

// fakeRuns lists runs with one input, with two, with a category, three inputs and two outputs, and a fit of
// numbers that are not below 0.
var fakeRuns = []trained{
	{Name: "curve", Model: "acqnp", Benchmark: "lissajous", Columns: columns{[]column{numeric("x", "", -1, 1)}, []column{numeric("y", "", -1, 1)}}, Parameters: 51234, Steps: 80000},
	{Name: "surface", Model: "cqnp", Benchmark: "csv", File: "hills.csv", Group: "hill",
		Columns: columns{[]column{numeric("east", "km", 0, 10), numeric("north", "km", 0, 10)}, []column{numeric("height", "m", -1, 1)}}, Parameters: 20000, Steps: 3000},
	{Name: "mixed", Model: "cnp", Benchmark: "csv", File: "cars.csv", Columns: columns{
		[]column{numeric("age", "years", 0, 6), numeric("mileage", "", 0, 100), {Name: "fuel", Categories: []string{"petrol", "diesel, old", "none"}}},
		[]column{numeric("price", "€", -1, 1), {Name: "days", Unit: "d"}}}, Parameters: 9000, Steps: 1200},
	{Name: "prices", Model: "fit", File: "prices.csv", Formula: "price ~ age | product", Group: "product",
		Columns: columns{[]column{numeric("age", "", 0.2, 6)}, []column{numeric("price", "", 0.01, 2)}}},
}

// A fake answers GET /v1/model and POST /v1/predict by a formula, and / with the page.
type fake struct {
	http.Handler
	predictions atomic.Int64 // that it has answered
	refuse      atomic.Bool  // answers 400
	token       string       // that requests must carry, if it is not empty
}

func newFake() *fake {
	f := &fake{}
	mux := http.NewServeMux()
	mux.Handle("/", page.Handler())
	mux.Handle("/test/", http.StripPrefix("/test/", http.FileServer(http.Dir("testdata"))))
	mux.HandleFunc("GET /v1/model", func(w http.ResponseWriter, r *http.Request) {
		if f.token != "" && r.Header.Get("Authorization") != "Bearer "+f.token {
			answer(w, http.StatusUnauthorized, map[string]string{"error": "expected the token of this server"})
			return
		}
		answer(w, http.StatusOK, map[string]any{"runs": fakeRuns})
	})
	mux.HandleFunc("POST /v1/predict", f.predict)
	f.Handler = mux
	return f
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the browser may have gone
}

type request struct {
	Run       string `json:"run"`
	Functions []struct {
		Context struct {
			X [][]any     `json:"x"`
			Y [][]float64 `json:"y"`
		} `json:"context"`
		Targets struct {
			X [][]any `json:"x"`
		} `json:"targets"`
	} `json:"functions"`
	Quantiles []float64 `json:"quantiles"`
	Regions   []float64 `json:"regions"`
	Density   *struct {
		Y []float64 `json:"y"`
	} `json:"density"`
	Modes bool   `json:"modes"`
	Draws int    `json:"draws"`
	Seed  uint64 `json:"seed"`
}

func (f *fake) predict(w http.ResponseWriter, r *http.Request) {
	var q request
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		answer(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	at := slices.IndexFunc(fakeRuns, func(t trained) bool { return t.Name == q.Run })
	if at < 0 || f.refuse.Load() {
		answer(w, http.StatusBadRequest, map[string]string{"error": "run: found " + q.Run + ", expected another"})
		return
	}
	f.predictions.Add(1)
	c, function := fakeRuns[at].Columns, q.Functions[0]
	var targets []any
	draws := make([][][]float64, q.Draws)
	for _, x := range function.Targets.X {
		var channels []any
		row := make([][]float64, q.Draws)
		for k := range c.Y {
			m := formula(c, x, function.Context.X, function.Context.Y, k)
			channels = append(channels, m.channel(q))
			for d := range draws { // a draw keeps to one branch
				row[d] = append(row[d], m.quantile([]float64{0.2, 0.8}[(uint64(d)+q.Seed)%2]))
			}
		}
		for d := range draws {
			draws[d] = append(draws[d], row[d])
		}
		targets = append(targets, map[string]any{"x": x, "channels": channels})
	}
	found := map[string]any{"name": "1", "targets": targets}
	if q.Draws > 0 {
		found["draws"] = draws
	}
	answer(w, http.StatusOK, map[string]any{"functions": []any{found}})
}

// A mixture is a sum of normal densities: weight, mean, deviation.
type mixture [][3]float64

// formula returns two branches far from the context, and the y of the nearest point close to it.
func formula(c columns, x []any, contextX [][]any, contextY [][]float64, channel int) mixture {
	at := place(c, x)
	phase := float64(channel)
	for i, v := range at {
		phase += v * float64(3+i)
	}
	near, y := 0.0, 0.0
	for i, other := range contextX {
		d := 0.0
		for k, v := range place(c, other) {
			d += (v - at[k]) * (v - at[k])
		}
		if w := math.Exp(-d / 0.02); w > near {
			near, y = w, contextY[i][channel]
		}
	}
	branch := 0.6 + 0.3*math.Sin(phase)
	return mixture{{(1 - near) * 0.6, branch, 0.08}, {(1 - near) * 0.4, -branch, 0.08}, {near, y, 0.04}}
}

// place returns x in units of the columns' ranges.
func place(c columns, x []any) []float64 {
	found := make([]float64, len(x))
	for i, v := range x {
		if name, isName := v.(string); isName {
			found[i] = float64(slices.Index(c.X[i].Categories, name))
		} else {
			found[i] = 2*(v.(float64)-*c.X[i].Low)/(*c.X[i].High-*c.X[i].Low) - 1
		}
	}
	return found
}

func (m mixture) channel(q request) any {
	mean, square := 0.0, 0.0
	for _, part := range m {
		mean += part[0] * part[1]
		square += part[0] * (part[1]*part[1] + part[2]*part[2])
	}
	found := map[string]any{"mean": mean, "sd": math.Sqrt(square - mean*mean)}
	quantiles := []float64{}
	for _, p := range q.Quantiles {
		quantiles = append(quantiles, m.quantile(p))
	}
	found["quantiles"] = quantiles
	if len(q.Regions) > 0 {
		regions := [][][2]float64{}
		for _, mass := range q.Regions {
			regions = append(regions, m.region(mass))
		}
		found["regions"] = regions
	}
	if q.Modes {
		found["modes"] = m.modes()
	}
	if q.Density != nil {
		values := make([]float64, len(q.Density.Y))
		for i, y := range q.Density.Y {
			values[i] = m.density(y)
		}
		found["density"] = map[string]any{"y": q.Density.Y, "values": values}
	}
	return found
}

// region returns the intervals of the smallest set that holds a probability, to 0.005.
func (m mixture) region(mass float64) (found [][2]float64) {
	const by, count = 0.005, 1200 // from −3 to 3
	at := func(i int) float64 { return by * float64(i-count/2) }
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(m.density(at(j)), m.density(at(i))) })
	within, held := make([]bool, count), 0.0
	for _, i := range order {
		if held >= mass {
			break
		}
		within[i], held = true, held+by*m.density(at(i))
	}
	for i, in := range within {
		switch {
		case in && (i == 0 || !within[i-1]):
			found = append(found, [2]float64{at(i), at(i)})
		case in:
			found[len(found)-1][1] = at(i)
		}
	}
	return found
}

func (m mixture) density(y float64) float64 {
	sum := 0.0
	for _, part := range m {
		z := (y - part[1]) / part[2]
		sum += part[0] * math.Exp(-z*z/2) / part[2] / math.Sqrt(2*math.Pi)
	}
	return sum
}

// quantile returns the y below which the share p lies, by bisection.
func (m mixture) quantile(p float64) float64 {
	low, high := -10.0, 10.0
	for range 40 {
		y, sum := (low+high)/2, 0.0
		for _, part := range m {
			sum += part[0] * math.Erfc(-(y-part[1])/part[2]/math.Sqrt2) / 2
		}
		if sum < p {
			low = y
		} else {
			high = y
		}
	}
	return low
}

// modes returns the means of the parts with some weight, the greatest first.
func (m mixture) modes() []float64 {
	parts := slices.Clone(m)
	slices.SortFunc(parts, func(a, b [3]float64) int { return cmp.Compare(b[0], a[0]) })
	var found []float64
	for _, part := range parts {
		if part[0] > 0.05 {
			found = append(found, part[1])
		}
	}
	return found
}
