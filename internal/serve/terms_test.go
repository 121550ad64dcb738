package serve_test

import (
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

// servingFit returns a server of what an instant fit of a formula to a CSV file wrote.
func servingFit(t *testing.T, csv, asked string, change ...func(*serve.Options)) *httptest.Server {
	t.Helper()
	o := fit.Options{File: filepath.Join(t.TempDir(), "m.csv"), Formula: must.Get(formula.Parse(asked))(t), Instant: true, Out: t.TempDir(), Threads: 2,
		Progress: progress.Quiet(progress.New(os.Stderr, progress.Auto))}
	must.Do(t, os.WriteFile(o.File, []byte(csv), 0o600))
	_, _, err := fit.Fit(t.Context(), o)
	must.Do(t, err)
	f := must.Get(answer.Read(o.Out))(t)
	m := must.Get(serve.NewModel("m", f, 1))(t)
	m.Calibrated = f.Calibrated()
	server := httptest.NewServer(serve.New([]*serve.Model{m}, limited(change...)).HTTP().Handler)
	t.Cleanup(server.Close)
	return server
}

// machines returns rows of machines of plants, whose names are numbers.
func machines() string {
	text := "plant,machine,x,y\n"
	for p := range 8 {
		for i := range 5 {
			text += strings.Join([]string{string(rune('a' + p)), []string{"1", "2", "10"}[(p+i)%3], []string{"0", "1", "2", "3", "4.5"}[i], []string{"3", "4.5", "2", "7", "5", "6", "1"}[(3*p+2*i)%7]}, ",") + "\n"
		}
	}
	return text
}

// Codes that are names may be numbers in a request, null is a missing cell, and a formula without x has empty rows.
func TestTermsOfFormulas(t *testing.T) {
	server := servingFit(t, machines(), "y ~ factor(machine) + x | plant")
	for _, c := range []struct {
		body, want string
		status     int
	}{
		{`{"groups": [{"targets": {"x": [[10, 1], ["10", 1]]}}]}`, `"warnings":[]`, 200},
		{`{"groups": [{"targets": {"x": [[7, 1]]}}]}`, `machine of 1 of 1 target is not among the data's names: 7 (nearest: `, 200},
		{`{"groups": [{"targets": {"x": [[null, null]]}}]}`, `1 of x; each gets the median`, 200},
		{`{"groups": [{"targets": {"x": [[]]}}]}`, `found 0 values, expected values of machine, x`, 400},
		{`{"groups": [{"targets": {"x": [[1, 1]]}}], "quantiles": [0.4], "regions": [0.5]}`, `"warnings":[]`, 200},
		{`{"groups": [{"targets": {"x": [[1, 1]]}}], "quantiles": [0.4], "regions": [0.5], "exceed": [4], "cdf": {"y": [3, 4]}}`, `"warnings":[]`, 200},
		{`{"groups": [{"targets": {"x": [[1, 1]]}}], "quantiles": [0.4], "regions": [0.5], "exceed": [4, 1e6]}`, `"beyond what the groups calibrate, the mixture's own tail goes on: probabilities below 0.056 and above 0.944 of `, 200},
		{`{"groups": [{"targets": {"x": [[1, 1]]}}], "regions": [0.999]}`, `"beyond what the groups calibrate, the mixture's own tail goes on: the region 0.999 of `, 200},
	} {
		says(t, server, c.body, c.status, c.want)
	}
	server = servingFit(t, machines(), "y ~ 1 | plant")
	says(t, server, `{"groups": [{"context": {"x": [[], []], "y": [[3], [4]]}, "targets": {"x": [[]]}}]}`, 200, `"warnings":[]`)
	says(t, server, `{"groups": [{"targets": {"x": [[1]]}}]}`, 400, "found 1 value, expected an empty array, since the formula has no x")
}

// Where models take the logarithm of y, a known point of 0 has a warning, as in predict.
func TestKnownPointsOfZero(t *testing.T) {
	text := "plant,x,y\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%d,%g\n", i/6, i%6, math.Exp(float64(i%6)/2+float64(i*i%7)/3+math.Sin(float64(i))/9))
	}
	server := servingFit(t, text, "log(y) ~ x | plant")
	says(t, server, `{"groups": [{"context": {"x": [[1]], "y": [[0]]}, "targets": {"x": [[1]]}}]}`, 200, `"y of 1 known point is 0 or less and counts as `)
}

// Draws from what fit wrote, here of two columns of y, have the seed 43 of predict if a request has none.
func TestSeedOfDrawsFromAFit(t *testing.T) {
	server := servingFit(t, machines(), "x + y ~ 1 | plant")
	drawn := func(more string) string {
		_, draws, _ := strings.Cut(says(t, server, `{"groups": [{"targets": {"x": [[], []]}}], "draws": 3`+more+`}`, 200, `"draws":`), `"draws":`)
		return draws
	}
	if got, want := drawn(""), drawn(`, "seed": 43`); got != want || got == drawn(`, "seed": 44`) {
		t.Errorf("draws are %s, want %s", got, want)
	}
}

// Names that the data lack are read in many ways, each of which counts as work: a few points of them take as much as many
// others, and are refused before.
func TestWorkOfUnknownNamesIsCounted(t *testing.T) {
	text, names := "site,crop,soil,y\n", 9
	for i := range 72 {
		text += fmt.Sprintf("s%d,c%d,d%d,%g\n", i/6, i%names, (i*i+i/6)%names, float64(i%names)+math.Sin(float64(i)))
	}
	server := servingFit(t, text, "y ~ crop + soil | site", func(o *serve.Options) { o.Work = 20_000_000 }) // half a second of a core
	asked := func(crop, soil string) string {
		row := strings.Repeat(fmt.Sprintf(`["%s", "%s"],`, crop, soil), 60)
		row = row[:len(row)-1]
		return `{"groups": [{"context": {"x": [` + row + `], "y": [` + strings.Repeat("[1],", 59) + `[2]]}, "targets": {"x": [` + row + `]}}]}`
	}
	says(t, server, asked("c1", "d2"), 200)
	says(t, server, asked("maize", "peat"), 413, "since names that the data lack are read in 64 ways, expected at most 20000000")
}

// A formula whose only term is an offset has one column of x in a request: no value stands for what it predicts from.
func TestOffsetAlone(t *testing.T) {
	text := "shop,days,sales\n"
	for i := range 60 {
		text += fmt.Sprintf("s%d,%d,%d\n", i/6, 1+i%6, (1+i%6)*(2+i/6%3)+i%2)
	}
	server := servingFit(t, text, "sales ~ offset(log(days)) | shop")
	answer := says(t, server, `{"groups": [{"targets": {"x": [[2], [4]]}}]}`, 200)
	a := decoded[prediction](t, answer)
	two, four := a.Groups[0].Targets[0], a.Groups[0].Targets[1] // in whole numbers, whose mean is that of a density but for 1e-5
	if ratio := four.Channels[0].Mean / two.Channels[0].Mean; math.Abs(ratio-2) > 1e-3 || len(two.X) != 1 {
		t.Errorf("%s: four days have %v times the sales of two, want twice", answer, ratio)
	}
	says(t, server, `{"groups": [{"targets": {"x": [[0, 2]]}}]}`, 400, `found 2 values, expected values of days"`)
	if _, text := get(t, server.URL+"/v1/model"); !strings.Contains(text, `"x":[{"name":"days"`) {
		t.Errorf("%s, want days as the only column of x", text)
	}
}

// A known point whose y are not all known counts for those that are, as in a file; one without any is left out, in a line.
func TestKnownPointsWithoutAY(t *testing.T) {
	server := servingFit(t, machines(), "x + y ~ 1 | plant")
	predicted := func(x, y string) string {
		return says(t, server, `{"groups": [{"context": {"x": `+x+`, "y": `+y+`}, "targets": {"x": [[]]}}]}`, 200)
	}
	all, partial, empty := predicted(`[[], []]`, `[[3, 4], [2, 5]]`), predicted(`[[], []]`, `[[3, 4], [2, null]]`), predicted(`[[], [], []]`, `[[3, 4], [null, null], [2, 5]]`)
	if !strings.Contains(partial, `"warnings":["1 known point without a value of y, used for the other columns of y"`) {
		t.Error(partial)
	}
	channels := func(answer string) [2]string {
		_, rest, _ := strings.Cut(answer, `"channels":[`)
		first, rest, _ := strings.Cut(rest, "},")
		second, _, _ := strings.Cut(rest, "}]")
		return [2]string{first, second}
	}
	if a, p := channels(all), channels(partial); a[0] != p[0] || a[1] == p[1] {
		t.Errorf("%q with all, %q without a value of the second column; want the first alike alone", a, p)
	}
	if !strings.Contains(empty, `"left out 1 of 3 known points, without a value of y"`) || channels(empty) != channels(all) {
		t.Errorf("%s, want what is predicted without the empty point", empty)
	}
}
