package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// What fit writes is predicted from in pipes, served and drawn; an export refuses it. The server has the
// numbers of predict.
func TestUsesOfAFit(t *testing.T) {
	file, dir := "testdata/kettles.csv", t.TempDir()
	out := filepath.Join(dir, "kettles.fit")
	o := succeed(t, "fit", file, "log(price) ~ age | product", "--budget", "0.3", "--out", out)
	if picture := filepath.Join(out, "fit.png"); !strings.Contains(o.out, picture) || !strings.Contains(o.out, "--grid=0.5:4:100 > predictions.csv") {
		t.Errorf("fit says %q, want %s and the next command", o.out, picture)
	}
	if info, err := os.Stat(filepath.Join(out, "fit.png")); err != nil || info.Size() < 1000 {
		t.Errorf("a picture of %v, %v", info, err)
	}
	cmd, errs := command("predict", out, "--context", "-", "--grid=1:3:2", "--quantiles", "0.25,0.5", "--hdr", "0.5", "--cdf=100:400:3", "--exceed", "250", "--modes", "--quiet")
	cmd.Stdin = strings.NewReader("product,age,price\nx,0.5,278\nx,3,190\n")
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[0][8:], ",") != "q0.25,q0.5,hdr0.5,cdf100,cdf250,cdf400,exceed250,modes" {
		t.Fatalf("%v, standard output is\n%s", err, text)
	}
	number := func(row int, column string) float64 {
		return must.Get(strconv.ParseFloat(rows[row][slices.Index(rows[0], column)], 64))(t)
	}
	for row := 1; row <= 2; row++ {
		if a, b := number(row, "cdf250"), number(row, "exceed250"); math.Abs(a+b-1) > 1e-9 || a < number(row, "cdf100") || a > number(row, "cdf400") {
			t.Errorf("row %d: the probability of up to 250 is %v, of more %v", row, a, b)
		}
	}
	if o := acqnp("export", out, "--out", filepath.Join(dir, "a.onnx")); o.code != 2 || !strings.Contains(o.err, "no export holds its models") || !regexp.MustCompile(`holds its models, .* with 0\.\d`).MatchString(o.err) {
		t.Errorf("export: exit code %d, %q", o.code, o.err)
	}
	if o := acqnp("predict", out, "--context", "-", "--targets", "-"); o.code != 2 || !strings.Contains(o.err, "standard input") {
		t.Errorf("two files in standard input: exit code %d, %q", o.code, o.err)
	}
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	if o := acqnp("serve", out, "--device", "cpu", "--precision", "fp32", "--num-quantiles", "9", "--listen", taken.Addr().String()); o.code == 0 ||
		!strings.Contains(o.err, "--precision fp32 has no effect on it") || !strings.Contains(o.err, "--num-quantiles has no effect on it") {
		t.Errorf("a precision that is not used: exit code %d, %q", o.code, o.err)
	}
	_, url, _, _ := served(t, out)
	predicted := fetch(t, url+"/v1/predict", `{"groups": [{"name": "x", "context": {"x": [[0.5], [3]], "y": [[278], [190]]}, "targets": {"x": [[1], [3]]}}], "quantiles": [0.25, 0.5]}`)
	var answer struct {
		Groups []struct {
			Targets []struct {
				Channels []struct{ Quantiles []float64 }
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(predicted), &answer))
	for i, target := range answer.Groups[0].Targets {
		for k, column := range []string{"q0.25", "q0.5"} {
			if got, want := target.Channels[0].Quantiles[k], number(i+1, column); math.Abs(got-want) > 1e-9*want {
				t.Errorf("target %d: %s is %v on the server, %v in a file", i, column, got, want)
			}
		}
	}
	far := fetch(t, url+"/v1/predict", `{"groups": [{"name": "x", "context": {"x": [], "y": []}, "targets": {"x": [[400]]}}]}`)
	var warned struct{ Warnings []string }
	if err := json.Unmarshal([]byte(far), &warned); err != nil || len(warned.Warnings) != 2 || !strings.Contains(warned.Warnings[1], "age of 1 of 1 target lies outside the data's 0.5 to 4") {
		t.Errorf("a target far from the data: %v, %+v", err, warned)
	}
	fetch(t, url+"/v1/model", "")
}
