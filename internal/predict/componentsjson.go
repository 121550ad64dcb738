package predict

import (
	"math"
	"slices"
	"strconv"
)

// AppendComponents appends the parts of the mixture as a JSON object of lists: tau, mu, sigma and weight.
// Gaussians have no tau. log marks those of log y, if there are any.
func (d Distribution) AppendComponents(b []byte) []byte {
	parts := d.Components()
	list := func(name string, of func(Component) string) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, name), ":["...)
		for i, c := range parts {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, of(c)...)
		}
		b = append(b, ']')
	}
	numbers := func(name string, of func(Component) float64) {
		list(name, func(c Component) string { return finite(of(c)) })
	}
	b = append(b, '{')
	if d.Mixture() {
		numbers("tau", func(c Component) float64 { return c.Tau })
	}
	numbers("mu", func(c Component) float64 { return c.Mu })
	numbers("sigma", func(c Component) float64 { return c.Sigma })
	numbers("weight", func(c Component) float64 { return c.Weight })
	if d.Log() || slices.ContainsFunc(parts, func(c Component) bool { return c.Log }) {
		list("log", func(c Component) string { return strconv.FormatBool(c.Log || d.Log()) })
	}
	return append(b, '}')
}

// finite returns a number as JSON: null if it is not finite.
func finite(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "null"
	}
	return number(v)
}
