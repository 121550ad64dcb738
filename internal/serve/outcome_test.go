package serve_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// What a fit found of the values of y is in the description of the model, and predictions have the probability of each
// bound: that of y up to it, by the parts of the mixture. Whole numbers have no bounds of their own.
func TestOutcomesOfAFit(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("g,x,pay,visits\n")
	for i := range 80 {
		v := 3*math.Sin(float64(i*i)) + float64(i%8)/2 - 1
		fmt.Fprintf(&rows, "g%d,%d,%.3f,%d\n", i/8, i%8, max(0, v), int(max(0, v)))
	}
	server := servingFit(t, rows.String(), "pay + visits ~ x | g")
	_, about := get(t, server.URL+"/v1/model")
	for _, want := range []string{`"name":"pay","outcome":{"low":0}`, `"name":"visits","outcome":{"low":0,"whole":true}`} {
		if !strings.Contains(string(about), want) {
			t.Errorf("%s, want %s", about, want)
		}
	}
	status, scored := post(t, server.URL+"/v1/score", `{"groups": [{"targets": {"x": [[0], [1]], "y": [[1, 2.5], [1, 2]]}}]}`)
	for _, want := range []string{`"y":2.5,"log_density":null,`, `"impossible_y":1`,
		"visits of 1 of 2 targets has the density 0 (2.5): outcomes of this fit are whole numbers of 0 or more"} {
		if status != 200 || !strings.Contains(string(scored), want) {
			t.Errorf("%d %s, want %s", status, scored, want)
		}
	}
	answer := decoded[prediction](t, says(t, server, `{"groups": [{"targets": {"x": [[0], [7]]}}], "components": true}`, 200))
	for _, target := range answer.Groups[0].Targets {
		pay, want := target.Channels[0], 0.0
		for k, mu := range pay.Components.Mu {
			want += pay.Components.Weight[k] * math.Erfc(mu/pay.Components.Sigma[k]/math.Sqrt2) / 2 // 0 is the root of 0
		}
		if len(pay.Atoms) != 1 || pay.Atoms[0].Y != 0 || math.Abs(pay.Atoms[0].Probability-want) > 1e-9 || len(target.Channels[1].Atoms) > 0 {
			t.Errorf("atoms %v of pay, want 0 with %v; %v of visits, want none", pay.Atoms, want, target.Channels[1].Atoms)
		}
	}
}

// A y of two names has the names in the description of the model and in requests, or 0 and 1. An answer says which is 1.
func TestNamesOfAFit(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("g,x,y\n")
	for i := range 96 {
		fmt.Fprintf(&rows, "g%d,%d,%s\n", i/8, i%8, map[bool]string{true: "TRUE", false: "False"}[3*math.Sin(float64(i*i))+float64(i%8)/2 > 1])
	}
	server := servingFit(t, rows.String(), "y ~ x | g")
	if _, about := get(t, server.URL+"/v1/model"); !strings.Contains(string(about), `"names":["false","true"],"outcome":{"low":0,"high":1,"whole":true}`) {
		t.Errorf("%s", about)
	}
	mean := func(y string) float64 {
		text := says(t, server, `{"groups": [{"context": {"x": [[1], [2]], "y": [[`+y+`], [0]]}, "targets": {"x": [[0]]}}]}`, 200)
		if !strings.Contains(text, "y: the name false is 0 and true is 1, so the mean is the probability of true") {
			t.Errorf("y of %s: %s", y, text)
		}
		return decoded[prediction](t, text).Groups[0].Targets[0].Channels[0].Mean
	}
	if no, yes := mean(`"FALSE"`), mean("true"); !(0 < no && no < yes && yes < 1) || mean("1") != yes {
		t.Errorf("the mean is %v after false and %v after true", no, yes)
	}
	for _, bad := range []string{`"maybe"`, `"<1"`, "[1]"} {
		status, text := post(t, server.URL+"/v1/score", `{"groups": [{"targets": {"x": [[0]], "y": [[`+bad+`]]}}]}`)
		if status != 400 || !strings.Contains(string(text), "expected false or true in quotes, or 0 or 1 for these") {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
}

// Limits of y are texts in requests: of known points the side counts, and of targets its probability is scored. A line says
// how many there are; another text is refused.
func TestLimitsOfAFit(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("g,x,y\n")
	for i := range 96 {
		if v := 3*math.Sin(float64(i*i)) + float64(i%8)/2; v < 0 {
			fmt.Fprintf(&rows, "g%d,%d,<0\n", i/8, i%8)
		} else {
			fmt.Fprintf(&rows, "g%d,%d,%.3f\n", i/8, i%8, v)
		}
	}
	server := servingFit(t, rows.String(), "y ~ x | g")
	mean := func(y string) float64 {
		text := says(t, server, `{"groups": [{"context": {"x": [[1], [2]], "y": [[`+y+`], [1]]}, "targets": {"x": [[0]]}}]}`, 200)
		if is := strings.Contains(text, ": 1 below and 0 above, of 2 values; of these the side is known"); is != (y[0] == '"') {
			t.Errorf("y of %s: %s", y, text)
		}
		return decoded[prediction](t, text).Groups[0].Targets[0].Channels[0].Mean
	}
	if below, at, far := mean(`" <= 0"`), mean("0"), mean(`"<-3"`); !(far < below && below < at) {
		t.Errorf("the mean is %v below −3, %v below 0, %v at 0: want them in this order", far, below, at)
	}
	status, scored := post(t, server.URL+"/v1/score", `{"groups": [{"targets": {"x": [[0], [1]], "y": [["<0"], [1]]}}]}`)
	for _, want := range []string{`"y":0,"log_density":-`, `"crps":null,"pit":null`, `"limits_y":1`, "1 of 2 targets of y are limits"} {
		if status != 200 || !strings.Contains(string(scored), want) {
			t.Errorf("%d %s, want %s", status, scored, want)
		}
	}
	if status, text := post(t, server.URL+"/v1/score", `{"groups": [{"targets": {"x": [[0]], "y": [["low"]]}}]}`); status != 400 || !strings.Contains(string(text), `found the text \"low\" for y, expected a finite number`) {
		t.Errorf("%d %s", status, text)
	}
}
