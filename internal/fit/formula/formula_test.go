package formula_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/invalid"
)

func TestFormulasAreRead(t *testing.T) {
	for text, want := range map[string]formula.Formula{
		"price ~ age | product":        {Y: []formula.Term{{"price", false}}, X: []formula.Term{{"age", false}}, Group: "product"},
		"log(y)~log( x 1 )+b":          {Y: []formula.Term{{"y", true}}, X: []formula.Term{{"x 1", true}, {"b", false}}},
		"low + high ~ day | station 7": {Y: []formula.Term{{"low", false}, {"high", false}}, X: []formula.Term{{"day", false}}, Group: "station 7"},
	} {
		got, err := formula.Parse(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v, want %+v", text, got, err, want)
		}
		if again, err := formula.Parse(got.String()); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q reads back as %+v, %v", got.String(), again, err)
		}
	}
}

func TestBadFormulasAreRefused(t *testing.T) {
	for _, text := range []string{"", "y", "y ~", "~ x", "y ~ x |", "y ~ x + ", "y ~ log(x", "y ~ x | y", "y ~ x + x", "f(y) ~ x"} {
		var bad *invalid.Input
		if f, err := formula.Parse(text); !errors.As(err, &bad) {
			t.Errorf("%q is %+v, %v, want an *invalid.Input", text, f, err)
		}
	}
}
