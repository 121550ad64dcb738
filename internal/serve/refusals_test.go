package serve_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A refusal is a body, the status of its answer, and the start of its error, which is one short line.
type refusal struct {
	body   string
	status int
	line   string
}

func checkRefusals(t *testing.T, server *httptest.Server, path string, all []refusal) {
	t.Helper()
	for _, c := range all {
		status, answer := post(t, server.URL+path, c.body)
		if status != c.status || status != 200 && (!isLine(answer, c.line) || bytes.Count(answer, []byte("\n")) != 1) {
			t.Errorf("%s %.100s:\n%d %.600s\nwant %d %s", path, c.body, status, answer, c.status, c.line)
		}
		lives(t, server)
	}
}

const one = `{"name": "name", "targets": {"x": [[1]]}, "context": {"x": [[1]], "y": [[2]]}}`

// with returns the body of a small request with further keys, target that of one target and ofContext that
// of a request with a context.
func with(keys string) string { return "{" + keys + ", " + small[1:] }

func target(x string) string { return `{"groups": [{"targets": {"x": [[` + x + `]]}}]}` }

func ofContext(points string) string {
	return `{"groups": [{"context": {` + points + `}, "targets": {"x": [[1]]}}]}`
}

func times(text string, n int) string { return strings.Repeat(text, n) }

// What a client does wrong gets its status and one line, also if it is made to hurt, and the server goes on.
func TestRefusals(t *testing.T) {
	const million = 1_000_000
	deep := func(n int) string { return times("[", n) + times("]", n) }
	checkRefusals(t, listening(t), "/v1/predict", []refusal{
		{"", 400, "body: found an incomplete JSON object"},
		{small + "{}", 400, "body: found text after the object"},
		{`{"group": []}`, 400, `body: found unknown field "group"`},
		{`{"groups": []}`, 400, "groups: found nothing"},
		{`{"groups": 3}`, 400, "groups: found 3, expected an array"},
		{`{"groups": [{"targets": {"x": []}}]}`, 400, "groups[0].targets.x: found nothing"},
		{`{"groups": [{"targets": {"x": [[1]], "y": [[1]]}}]}`, 400, "groups[0].targets.y: found y"},
		{ofContext(`"x": [[1]]`), 400, "groups[0].context.y: found 0 rows for 1 of x"},
		{ofContext(`"x": [[1]], "y": [[1, 2]]`), 400, "groups[0].context.y[0]: found 2 values, expected values of y"},
		{ofContext(`"x": [[1]], "y": [[1e300]]`), 400, "groups[0].context.y[0]: found 1e300 for y, expected a finite number of at most 3.4e38, which float32 holds"},
		{ofContext(`"x": [[1]], "y": [[` + times("9", million) + `]]`), 400, "groups[0].context.y[0]: found 999"},
		{with(`"run": "b"`), 400, `run: found "b"`},
		{with(`"quantiles": [1]`), 400, "quantiles: found 1, expected levels between 0 and 1"},
		{with(`"regions": [0]`), 400, "regions: found 0, expected probabilities between 0 and 1"},
		{with(`"density": {"points": 1}`), 400, "density.points: found 1, expected 2 or more"},
		{with(`"density": {"points": 9, "y": [1]}`), 400, "density: found y and points"},
		{with(`"draws": -1`), 400, "draws: found -1"},
		{with(`"draws": 1e30`), 400, "draws: found 1e30, expected a whole number"},
		{with(`"draws": 9223372036854775807`), 413, "numbers in the answer: found 2147483647"},
		{with(`"seed": 18446744073709551616`), 400, "seed: found 18446744073709551616, expected a whole number"},
		{with(`"quantiles": ` + deep(9000)), 400, "quantiles: found an array, expected a finite number"},
		{with(`"run": "` + times("a", million) + `"`), 400, "run: found"},
		{times("[", million), 400, "body: found"},
		{`{"` + times("a", million) + `": 1}`, 400, "body: found unknown field"},
		{`{"a\nb": 1}`, 400, "body: found unknown field"},
		{times("\x00", 1000), 400, "body: found invalid character"},
		{target(deep(million)), 400, "body: found arrays or objects that are nested too deep"},
		{target(deep(5000)), 400, "groups[0].targets.x[0]: found an array for x"},
		{target("{\"a\":\n1}"), 400, "groups[0].targets.x[0]: found an object for x"},
		{target(`{"a": 1` + times(`, "a": 1`, 500_000) + `}`), 400, "groups[0].targets.x[0]: found an object for x"},
		{target(times("9", million)), 400, "groups[0].targets.x[0]: found 9999"},
		{target(`"` + times("é", million) + `"`), 400, `groups[0].targets.x[0]: found the text "éé`},
		{target("NaN"), 400, "body: found invalid character 'N'"},
		{target("-Infinity"), 400, "body: found invalid character 'I'"},
		{target(`"NaN"`), 400, "groups[0].targets.x[0]: found the text \"NaN\" for x, expected a finite number"},
		{target("true"), 400, "groups[0].targets.x[0]: found true for x"},
		{target("1, 2"), 400, "groups[0].targets.x[0]: found 2 values, expected values of x"},
		{target(times("1,", million-1) + "1"), 400, "groups[0].targets.x[0]: found 1000000 values, expected values of x"},
		{target("-1e39"), 400, "groups[0].targets.x[0]: found -1e39 for x, expected a finite number of at most 3.4e38, which float32 holds"},
		{target("1e999"), 400, "groups[0].targets.x[0]: found 1e999 for x, expected a finite number of at most 3.4e38"},
		{target("\"\xff\xfe\""), 400, "body: found bytes that are not UTF-8"},
		{target(times(" ", 9<<20) + "1"), 413, "found a body of more than 8388608 bytes"},
		{`{"groups": [` + times(`{},`, million) + `{}]}`, 413, "groups: found 1000001, expected at most 1000"},
		{target(times("1],[", million-1) + "1"), 413, "points: found 1000000, expected at most 100000"},
		{target(times("],[", million-1)), 413, "points: found 1000000"},
	})
	limited, _ := start(t, func(o *serve.Options) { o.Body, o.Points, o.Groups, o.Numbers = 1<<16, 100, 3, 1000 })
	checkRefusals(t, limited, "/v1/predict", []refusal{
		{with(`"density": {"points": 999}`), 413, "numbers in the answer: found 1001"},
		{with(`"draws": 999`), 413, "numbers in the answer: found 1001, expected at most 1000"},
		{`{"regions": [0.5, 0.9], ` + target("1], [2], [3], [4")[1:], 413, "numbers in the answer: found"},
		{`{"components": true, ` + target("1], [2], [3")[1:], 413, "numbers in the answer: found"},
		{target(times("1],[", 100) + "1"), 413, "points: found 101, expected at most 100"},
		{`{"groups": [` + times(one+",", 3) + one + `]}`, 413, "groups: found 4, expected at most 3"},
		{`{"groups": [{"name": "` + times("a", 1<<16) + `"}]}`, 413, "found a body of more than 65536 bytes"},
	})
	checkRefusals(t, limited, "/v1/score", []refusal{
		{`{"draws": 1, "groups": [{"targets": {"x": [[1]], "y": [[1]]}}]}`, 400, "body: found quantiles"},
		{small, 400, "groups[0].targets.y: found 0 rows"},
	})
	for path, want := range map[string]int{"/v1/model": 405, "/v1/other": 404, "/healthz": 405, "/metrics": 405} {
		if status, _ := post(t, limited.URL+path, small); status != want {
			t.Errorf("POST %s: %d, want %d", path, status, want)
		}
	}
}

// Of a key that comes twice in an object, JSON does not say which counts, however it is written. The same
// key in different objects, and as a value, is no such.
func TestDuplicateKeys(t *testing.T) {
	checkRefusals(t, listening(t), "/v1/predict", []refusal{
		{with(`"draws": 1, "draws": 2`), 400, "body: found the key draws twice"},
		{with(`"groups": [` + one + `]`), 400, "body: found the key groups twice"},
		{with(`"Groups": [` + one + `]`), 400, "body: found unknown field \"Groups\""},
		{`{"groups": [{"targets": {"x": [[1]], "x" : [[1]]}}]}`, 400, "groups[0].targets: found the key x twice"},
		{with("\"run\": \"\", \"modes\": true, \"run\"\n\t: \"a\""), 400, "body: found the key run twice"},
		{with(`"run": "a", "r\u0075n": ""`), 400, "body: found the key run twice"},
		{with(`"run": "a", "\u0072un": "a"`), 400, "body: found the key run twice"},
		{`{"groups": [` + one + `, ` + one + `], "run": "a"}`, 200, ""},
		{`{"groups": [` + one + `], "r\u0075n": "\u0061"}`, 200, ""},
		{`{"groups": [{"name": "\"name\": {[", "targets": {"x": [[1]]}}]}`, 200, ""},
	})
}

// A number that is missing is not 0: null is refused wherever a number of y or x is expected.
func TestNullIsNoNumber(t *testing.T) {
	server := listening(t)
	checkRefusals(t, server, "/v1/predict", []refusal{
		{target("null"), 400, "groups[0].targets.x[0]: found null for x"},
		{ofContext(`"x": [[1], [2]], "y": [[1], [null]]`), 400, "groups[0].context.y[1]: found null for y, expected a finite number"},
		{ofContext(`"x": [[1]], "y": [null]`), 400, "groups[0].context.y[0]: found null, expected an array with values of y"},
		{ofContext(`"x": [[1]], "y": [[]]`), 400, "groups[0].context.y[0]: found 0 values, expected values of y"},
		{ofContext(`"x": [[1]], "y": [["2"]]`), 400, "groups[0].context.y[0]: found the text \"2\" for y, expected a number without quotes, 2"},
		{ofContext(`"x": [[1]], "y": [["-2"]]`), 400, "groups[0].context.y[0]: found the text \"-2\" for y, expected a number without quotes, -2"},
		{ofContext(`"x": [[1]], "y": [[-1e39]]`), 400, "groups[0].context.y[0]: found -1e39 for y, expected a finite number of at most 3.4e38"},
		{with(`"density": {"y": [1, null]}`), 400, "density.y: found null for y, expected a finite number"},
		{with(`"density": {"y": null}`), 400, "density.y: found null for y, expected finite numbers"},
		{with(`"quantiles": [null]`), 400, "quantiles: found null, expected a finite number"},
		{with(`"draws": null`), 400, "draws: found null, expected a whole number"},
		{ofContext(`"x": null, "y": null`), 200, ""}, // clients in Go write a list of no points so
	})
	checkRefusals(t, server, "/v1/score", []refusal{
		{`{"groups": [{"targets": {"x": [[1]], "y": [[null]]}}]}`, 400, "groups[0].targets.y[0]: found null for y, expected a finite number"},
		{`{"groups": [{"targets": {"x": [[1]], "y": null}}]}`, 400, "groups[0].targets.y: found 0 rows for 1 of x, expected as many"},
	})
}

// A compressed body is refused, whether its header says so or not: what it takes would be known too late.
func TestCompressedBodies(t *testing.T) {
	server := listening(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	must.Get(z.Write([]byte(small)))(t)
	must.Do(t, z.Close())
	for _, how := range []string{"gzip", "deflate", ""} {
		r := must.Get(http.NewRequestWithContext(t.Context(), "POST", server.URL+"/v1/predict", bytes.NewReader(packed.Bytes())))(t)
		if how != "" {
			r.Header.Set("Content-Encoding", how)
		}
		answer := must.Get(http.DefaultClient.Do(r))(t)
		line := must.Get(io.ReadAll(answer.Body))(t)
		_ = answer.Body.Close()
		if want := "found a body in " + cmp.Or(how, "gzip") + ", expected JSON as it is"; answer.StatusCode != 415 || !isLine(line, want) {
			t.Errorf("%q: %d %s, want 415 and %s", how, answer.StatusCode, line, want)
		}
	}
}
