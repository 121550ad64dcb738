package serve_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/serve/servetest"
)

// cars returns a server of a model of price by age and fuel, of cars of 0 to 8 years.
func cars(t *testing.T, keys ...string) *httptest.Server {
	t.Helper()
	server, _ := serving(t, servetest.Cars(t, append(keys, "x: [age, fuel]", "categories: [fuel]", "y: [price]")...))
	return server
}

// A number far outside the data is said, on the scale that the training saw.
func TestAnswersSayThatTheyExtrapolate(t *testing.T) {
	body := `{"groups": [{"targets": {"x": [[AGE, "diesel"], [8, "diesel"]]}}]}`
	for _, c := range []struct{ scale, age, want string }{
		{"standard", "0", `"warnings":[]`},
		{"standard", "40", `"warnings":["age of 1 of 2 targets lies more than 4 deviations from the data's mean: predictions there extrapolate"]`},
		{"range", "8.3", `"warnings":[]`},
		{"range", "-2", `"warnings":["age of 1 of 2 targets lies outside the data: predictions there extrapolate"]`},
	} {
		says(t, cars(t, "scale: "+c.scale), strings.Replace(body, "AGE", c.age, 1), 200, c.want)
	}
}

// A name that the training did not have is named in the answer, once, with the nearest that it had.
func TestAnswersNameUnseenNames(t *testing.T) {
	body := `{"groups": [{"context": {"x": [[1, "diesel"]], "y": [[120]]}, "targets": {"x": [[1, "Diesel"], [2, "Diesel"], [3, "hydrogen"]]}}]}`
	says(t, cars(t), body, 200, `"warnings":["fuel of 3 of 3 targets is not among the data's names: Diesel (nearest: diesel), hydrogen (nearest: `)
}
