package serve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// described returns a server of a small model of a CSV file, and what GET /v1/model says of it.
func described(t *testing.T, keys ...string) (s *serve.Server, about map[string]any) {
	t.Helper()
	_, s = serving(t, servetest.Cars(t, keys...))
	return s, decoded[struct{ Runs []map[string]any }](t, within(t, s, "GET", "/v1/model", "")).Runs[0]
}

const (
	sold   = `{"name": "sold", "unit": "days since 2024-03-01", "dates": true, "low": -2, "high": 21}`
	fuel   = `{"name": "fuel", "categories": ["diesel", "none", "petrol"]}`
	carsOf = "x: [sold, age, miles, fuel], y: [price, score], categories: [fuel], log: [miles, price]"
)

// The columns of a CSV run have the names, units, categories and ranges of the data.
func TestColumnsOfCSV(t *testing.T) {
	for scale, want := range map[string]string{
		"range": `{"x": [{"name": "sold", "unit": "days since 2024-03-01", "dates": true, "low": 0, "high": 19}, {"name": "age", "low": 0, "high": 8},
			{"name": "miles", "log": true, "low": 0, "high": 60}, ` + fuel + `],
			"y": [{"name": "price", "log": true, "low": 100, "high": 1621}, {"name": "score", "low": 0, "high": 2}]}`,
		"none": `{"x": [{"name": "sold", "unit": "days since 2024-03-01", "dates": true}, {"name": "age"}, {"name": "miles", "log": true}, ` + fuel + `],
			"y": [{"name": "price", "log": true}, {"name": "score"}]}`,
		// Two deviations about the mean lie beyond the least and the greatest number of both columns.
		"standard": `{"x": [{"name": "sold", "unit": "days since 2024-03-01", "dates": true, "low": 0, "high": 19}, {"name": "age", "low": 0, "high": 8}]}`,
	} {
		keys := []string{carsOf, "scale: " + scale, "train_fraction: 1"}
		if scale == "standard" {
			keys = []string{"x: [sold, age], y: [score]", "train_fraction: 1"}
		}
		_, about := described(t, keys...)
		columns := decoded[map[string]any](t, want)
		if about["file"] != "cars.csv" || about["group"] != "car" || about["formula"] != nil {
			t.Errorf("the file, the group and the formula are %v, %v and %v", about["file"], about["group"], about["formula"])
		}
		found := rounded(about["columns"]).(map[string]any)
		if scale == "standard" {
			delete(found, "y")
		}
		if diff := cmp.Diff(columns, found); diff != "" {
			t.Errorf("scale: %s (-want +found):\n%s", scale, diff)
		}
	}
}

// rounded returns a JSON value with numbers rounded to two digits after the point.
func rounded(v any) any {
	switch v := v.(type) {
	case float64:
		var r float64
		_, _ = fmt.Sscan(fmt.Sprintf("%.2f", v), &r)
		return r + 0 // no −0
	case []any:
		for i := range v {
			v[i] = rounded(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = rounded(v[k])
		}
	}
	return v
}

// A date is the same as its number of days, and other texts are refused.
func TestDatesAndNames(t *testing.T) {
	s, _ := described(t, carsOf)
	ask := func(x string) string {
		return within(t, s, "POST", "/v1/predict", `{"groups": [{"targets": {"x": [`+x+`]}}]}`)
	}
	_, text, found := strings.Cut(ask(`["2024-03-03", 2, 0, "none"]`), `"channels"`)
	_, number, _ := strings.Cut(ask(`[2, 2, 0, "none"]`), `"channels"`)
	if !found || text != number {
		t.Errorf("a date gives %s, its number of days %s", text, number)
	}
	for x, want := range map[string]string{
		`["March", 2, 0, "none"]`:       `found the text \"March\" for sold, expected a date such as \"2024-03-01\", or days as a number`,
		`["2024-03-03", "2", 0, "a"]`:   `found the text \"2\" for age, expected a number without quotes, 2`,
		`["2024-03-03", 2, -1, "none"]`: `found -1 for miles, expected a number above 0, whose logarithm is taken`,
		`["2024-03-03", 2, 0, 1]`:       `found 1 for fuel, expected a name in quotes`,
	} {
		if got := ask(x); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", x, got, want)
		}
	}
	if got := ask(`["2024-03-03", 2, 0, "steam"]`); !strings.Contains(got, `"mean"`) {
		t.Errorf("a name that training did not see: %s", got)
	}
}

// The weights' valid_ll is there if they were validated.
func TestValidLL(t *testing.T) {
	trained, _ := servetest.Trained(t, servetest.Curve)
	for _, ll := range []*float64{nil, new(float64)} {
		trained.ValidLL = ll
		m := must.Get(serve.NewModel("a", trained, 1))(t)
		s := serve.New([]*serve.Model{m}, limited())
		if text := within(t, s, "GET", "/v1/model", ""); strings.Contains(text, `"valid_ll":0`) != (ll != nil) {
			t.Errorf("valid_ll %v: %s", ll, text)
		}
	}
}
