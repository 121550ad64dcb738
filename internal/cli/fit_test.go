package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
)

// kettles writes a file of 9 products, each with 6 prices that fall with age, of two kinds.
func kettles(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("product,age,kind,price,age2,sold\n")
	for p := range 9 {
		for i := range 6 {
			age, kind := 0.5+float64((p*5+i*3)%8)/2, []string{"new", "used"}[(p+i)%2]
			price := (300 + 40*math.Sin(float64(7*p))) * math.Exp(-0.15*age) * (1 + 0.02*math.Sin(float64(31*p+17*i)))
			if kind == "used" {
				price *= 0.7
			}
			fmt.Fprintf(&b, "p%d,%.1f,%s,%.2f,%.1f,2024-03-%02d\n", p, age, kind, price, age*math.Cos(float64(p)), 1+i)
		}
	}
	path := filepath.Join(t.TempDir(), "kettles.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fit writes a directory of which predict reads; the same file gives the same bytes on one thread and
// on two.
func TestFitAndPredict(t *testing.T) {
	file, dir := kettles(t), t.TempDir()
	var files []string
	for _, threads := range []string{"1", "2"} {
		out := filepath.Join(dir, "fit"+threads)
		succeed(t, "fit", file, "price ~ age + kind | product", "--instant", "--threads", threads, "--out", out)
		content, err := os.ReadFile(filepath.Join(out, "fit.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(content))
	}
	if files[0] != files[1] {
		t.Error("fit.json depends on the number of threads")
	}
	out := filepath.Join(dir, "out.csv")
	context := write(t, dir, "context.csv", "product,age,kind,price\nx,0.5,new,278\nx,3,used,134\n")
	targets := write(t, dir, "targets.csv", "product,age,kind\nx,2,new\nx,2,used\n")
	succeed(t, "predict", filepath.Join(dir, "fit1"), "--context", context, "--targets", targets, "--out", out)
	far := write(t, dir, "far.csv", "product,age,kind\nx,2,new\nx,9,used\nx,-40,red\n")
	o := succeed(t, "predict", filepath.Join(dir, "fit1"), "--targets", far, "--out", filepath.Join(dir, "far-out.csv"))
	for _, want := range []string{"age of 2 of 3 targets is not among the data's 0.5 to 4\n", "kind of 1 of 3 targets is not among the data's names: red (nearest: new)\n"} {
		if !strings.Contains(o.err, want) {
			t.Errorf("far targets: %q, want %s", o.err, want)
		}
	}
	if o := succeed(t, "predict", filepath.Join(dir, "fit1"), "--context", context, "--targets", targets, "--out", filepath.Join(dir, "near.csv")); strings.Contains(o.err, "extrapolate") {
		t.Errorf("targets within the data: %q", o.err)
	}
	o = acqnp("predict", filepath.Join(dir, "fit1"), "--targets", targets, "--out", filepath.Join(dir, "no.csv"), "--num-quantiles", "9")
	if o.code != 2 || !strings.Contains(o.err, "--num-quantiles") {
		t.Errorf("--num-quantiles of a fit: exit code %d, %q, want 2", o.code, o.err)
	}
	edited := filepath.Join(dir, "edited")
	if err := os.Mkdir(edited, 0o755); err != nil {
		t.Fatal(err)
	}
	numbers := regexp.MustCompile(`"beta":\[[^,\]]+,[^,\]]+`).ReplaceAllString(read(t, filepath.Join(dir, "fit1", "fit.json")), `"beta":[1e308,1e308`)
	write(t, edited, "fit.json", numbers)
	checkRefusal(t, "edited weights", acqnp("predict", edited, "--targets", targets, "--out", filepath.Join(dir, "no.csv"), "--quiet"), 2, "fit.json: found a prediction of mean")
	checkRefusal(t, "--precision of a fit", acqnp("predict", filepath.Join(dir, "fit1"), "--targets", targets, "--out", filepath.Join(dir, "no.csv"), "--precision", "bf16"), 2,
		"--precision: found a directory of acqnp fit")
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v, want a header and two", len(rows), err)
	}
	// The context says 300·exp(−0.15·age) to 1%, so that the medians are 222 and 156. A tenth is
	// three times the noise of the data and what 9 products leave open.
	column := slices.Index(rows[0], "q0.5")
	for i, want := range []float64{222, 156} {
		median, err := strconv.ParseFloat(rows[i+1][column], 64)
		if err != nil || math.Abs(median-want) > want/10 {
			t.Errorf("the median of row %d is %s, want %v ± 10%%", i, rows[i+1][column], want)
		}
	}
}

func TestFitRefusesWhatItCannotUse(t *testing.T) {
	file := kettles(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "acqnp fit prices.csv"},
		{[]string{file, "price ~ age | product", "--budget", "-1"}, "--budget"},
		{[]string{file, "price ~ age | product", "--budget", "0"}, "above 0"},
		{[]string{file, "log(price) ~ age | product", "--write-config", "c.yaml"}, "[out write-config] were all set"},
		{[]string{file, "price", "/root", "age"}, "FORMULA: found 3 arguments after FILE, expected one formula in quotes"},
		{[]string{file, "price ~ agee | product"}, "no agee: did you mean age?"},
		{[]string{file, "price ~ age | Product"}, "no Product: did you mean product?"},
		{[]string{file, "price", "--instant"}, "without '~'"},
		{[]string{file, "price ~ weight | product", "--instant"}, "weight"},
		{[]string{file, "kind ~ age | product", "--instant"}, "kind: found names"},
		{[]string{file, "price ~ log(kind) | product", "--instant"}, "a logarithm of names"},
		{[]string{file + ".gone", "price ~ age | product", "--instant"}, ".gone: found no such file, expected a file of rows"},
		{[]string{file, "price ~ age | product", "--instant", "--out", file, "--overwrite"}, "which is a file"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append([]string{"fit", "--out", out}, c.args...)
		if o := acqnp(args...); o.code != 2 || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want 2 and %q in one line", c.args, o.code, o.err, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%v: the directory of the result is left", c.args)
		}
	}
}

// fit without a formula shows the columns and proposes a formula that works when it is pasted.
func TestFitShowsColumns(t *testing.T) {
	dir := t.TempDir()
	shops := "shop,day,sales\n"
	odd := "\"the shop\",a~b (%),-log p,note\n"
	for i := range 20 {
		shops += fmt.Sprintf("s%d,2024-01-%02d,%d\n", i%5, i+1, 100+i)
		odd += fmt.Sprintf("s%d,%d%%,%d,%s\n", i%5, i+3, (7*i)%13, []string{"", "x", "3"}[i%3])
	}
	for _, c := range []struct{ file, want, formula string }{
		{kettles(t), "kind     name    0        2         2 names: new, used\n", "age2 ~ age | product"},
		{write(t, dir, "shops.csv", shops), "day     date    0        20        dates, 2024-01-01 to 2024-01-20\n", "sales ~ day | shop"},
		{write(t, dir, "odd file.csv", odd), `note      mixed    7        2         cells of several kinds: "3" in `, "`-log p` ~ `a~b (%)` | the shop"},
	} {
		o := succeed(t, "fit", c.file)
		if !strings.Contains(o.out, c.want) || o.err != "" {
			t.Errorf("%s: found\n%s%s", c.file, o.out, o.err)
		}
		var s struct {
			Formula string
			Rows    int
			Columns []struct{ Name, Kind string }
		}
		if err := json.Unmarshal([]byte(succeed(t, "fit", c.file, "--json").out), &s); err != nil || s.Formula != c.formula || s.Rows < 20 || len(s.Columns) < 3 {
			t.Errorf("%s: %v, %+v, expected the formula %s", c.file, err, s, c.formula)
		}
		words := exec.Command("sh", "-c", "printf '%s\\n' "+strings.TrimSpace(o.out[strings.LastIndex(o.out, "acqnp fit"):]))
		pasted, err := words.Output()
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(strings.TrimSpace(string(pasted)), "\n")[1:]
		succeed(t, append(args, "--instant", "--no-picture", "--out", filepath.Join(dir, "fit"), "--overwrite")...)
	}
}

// The command that fit names next has the digits, dates or times that its grid needs, and works.
func TestTheNextCommandWorks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, c := range map[string]struct {
		when func(d int) string
		grid string
		last string // x of the last row
	}{
		"seconds": {func(d int) string { return fmt.Sprint(1571000000 + 371*d) }, "--grid=1571000371:1571009275:100", "1571009275"},
		"dates":   {func(d int) string { return fmt.Sprintf("3/%d/2026", d) }, "--grid=2026-03-01:2026-03-25:100", "2026-03-25"},
		"clock":   {func(d int) string { return fmt.Sprintf("%d:30", d-2) }, "--grid=00:30:23:30:100", "23:30"},
		"percent": {func(d int) string { return fmt.Sprintf("%d%%", d) }, "--grid=1:25:100", "25%"},
		"small":   {func(d int) string { return fmt.Sprintf("%.5f", 0.00372*float64(d)) }, "--grid=0.0037:0.093:100", "0.093"},
	} {
		text := "id,when,y\n"
		for g := range 12 {
			for i := range 5 {
				d := 1 + (7*g+5*i)%25
				if name == "clock" {
					d = 2 + (d-1)*23/24
				}
				text += fmt.Sprintf("p%d,%s,%.2f\n", g, c.when(d), 0.4*float64(d)+math.Sin(float64(9*g))+0.3*math.Sin(float64(3*g+5*i)))
			}
		}
		write(t, dir, "data.csv", text)
		o := succeed(t, "fit", "data.csv", "y ~ when | id", "--instant", "--no-picture", "--overwrite", "--quiet")
		if !strings.Contains(o.out, c.grid+" > predictions.csv") {
			t.Errorf("%s: expected %s in\n%s", name, c.grid, o.out)
			continue
		}
		succeed(t, "predict", "data.fit", c.grid, "--out", "p.csv", "--overwrite", "--quantiles=", "--hdr=", "--quiet")
		rows := readRows(t, "p.csv")
		if last := rows[len(rows)-1]; len(rows) != 100 || last["when"] != c.last {
			t.Errorf("%s: %d rows, the last is %v, expected x = %s", name, len(rows), last, c.last)
		}
	}
}

// The last line of fit --json is what INTERFACE.md states: scripts read it.
func TestFitAsJSON(t *testing.T) {
	file, dir := kettles(t), t.TempDir()
	o := succeed(t, "fit", file, "price + age2 ~ age | product", "--out", filepath.Join(dir, "f"), "--json", "--budget", "1")
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	type scores struct {
		Expected struct {
			LogDensity *float64 `json:"log_density"`
			Error      *float64 `json:"log_density_se"`
			CRPS       *float64
			Coverage   map[string]float64
		}
		Candidates []struct {
			Name       string
			LogDensity *float64 `json:"log_density"`
			CRPS       *float64
			Weight     *float64
		}
	}
	var s struct {
		Out, Promise string
		scores
		Seconds float64
		Targets []struct {
			Channel string
			scores
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
		t.Fatal(err)
	}
	if s.Out != filepath.Join(dir, "f") || s.Seconds <= 0 || !strings.Contains(s.Promise, "new product") {
		t.Errorf("%s", lines[len(lines)-1])
	}
	if len(s.Targets) != 2 || s.Targets[0].Channel != "price" || s.Targets[1].Channel != "age2" {
		t.Fatalf("targets %v, want price and age2", s.Targets)
	}
	for _, of := range []scores{s.scores, s.Targets[0].scores, s.Targets[1].scores} {
		if of.Expected.LogDensity == nil || of.Expected.Error == nil || of.Expected.CRPS == nil || len(of.Expected.Coverage) != 2 || len(of.Candidates) == 0 {
			t.Errorf("scores lack a key: %s", lines[len(lines)-1])
		}
		weight := 0.0
		for _, c := range of.Candidates {
			if c.Name == "" || c.LogDensity == nil || c.CRPS == nil || c.Weight == nil {
				t.Fatalf("a candidate lacks a key: %s", lines[len(lines)-1])
			}
			weight += *c.Weight
		}
		if math.Abs(weight-1) > 1e-9 {
			t.Errorf("weights sum to %v", weight)
		}
	}
	if *s.Expected.LogDensity != *s.Targets[0].Expected.LogDensity {
		t.Error("the scores at the top are not those of the first column of y")
	}
}

// Files that models cannot use as they are get a prediction, or one line that says what to do.
// Columns that leave the mixed model of log y without a finite prediction do not end a fit: only models
// whose predictions of y are finite take part.
func TestFitOfManyColumns(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "sales.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := datatest.WriteSales(f, ".csv", 60); err != nil {
		t.Fatal(err)
	}
	succeed(t, "fit", f.Name(), "price ~ age + kind + ratio + count + small + fresh + sold + cents | product", "--instant", "--no-picture", "--out", filepath.Join(dir, "fit"))
}

func TestFitOfAwkwardFiles(t *testing.T) {
	dir := t.TempDir()
	draw := func(rows int, row func(i int) string) string {
		text := "g,x,y\n"
		for i := range rows {
			text += row(i) + "\n"
		}
		return text
	}
	y := func(i int) float64 { return math.Round(100*math.Sin(float64(i*i))) / 100 }
	for name, c := range map[string]struct{ content, refused string }{
		"one group":       {draw(40, func(i int) string { return fmt.Sprintf("a,%d,%v", i%17, y(i)) }), ""},
		"three groups":    {draw(40, func(i int) string { return fmt.Sprintf("g%d,%d,%v", i%3, i%17, y(i)) }), ""},
		"one point each":  {draw(40, func(i int) string { return fmt.Sprintf("g%d,%d,%v", i, i%17, y(i)) }), ""},
		"duplicates of x": {draw(60, func(i int) string { return fmt.Sprintf("g%d,%d,%v", i%12, i/30, y(i)) }), ""},
		"ties of y":       {draw(60, func(i int) string { return fmt.Sprintf("g%d,%d,%d", i%12, i%17, i%2) }), ""},
		"constant y":      {draw(40, func(i int) string { return fmt.Sprintf("g%d,%d,5", i%9, i) }), "y: found the same value in every row"},
		"200 categories":  {draw(400, func(i int) string { return fmt.Sprintf("g%d,c%d,%v", i%9, i%200, y(i)) }), "leave out a column with many names, or write '| COLUMN'"},
		"few rows":        {draw(8, func(i int) string { return fmt.Sprintf("g%d,%d,%v", i%2, i, y(i)) }), "found 8 rows"},
	} {
		file := write(t, dir, "awkward.csv", c.content)
		out := filepath.Join(t.TempDir(), "fit")
		o := acqnp("fit", file, "y ~ x | g", "--out", out, "--quiet", "--budget", "0.2")
		if c.refused != "" {
			if o.code != 2 || !strings.Contains(o.err, c.refused) || strings.Count(o.err, "\n") != 1 {
				t.Errorf("%s: exit code %d, %q, want 2 and %q in one line", name, o.code, o.err, c.refused)
			}
			continue
		}
		if o.code != 0 {
			t.Errorf("%s: exit code %d, %s", name, o.code, o.err)
			continue
		}
		o = succeed(t, "predict", out, "--context", file, "--grid=1:9:3", "--out", filepath.Join(out, "p.csv"))
		if content, err := os.ReadFile(filepath.Join(out, "p.csv")); err != nil || strings.Contains(string(content), "NaN") || strings.Contains(string(content), "Inf") {
			t.Errorf("%s: %v, %s", name, err, content)
		}
	}
}

// What fit writes is predicted from in pipes, served and drawn; an export refuses it. The server has the
// numbers of predict.
func TestUsesOfAFit(t *testing.T) {
	file, dir := kettles(t), t.TempDir()
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
	if err != nil || len(rows) != 3 || strings.Join(rows[0][6:], ",") != "q0.25,q0.5,hdr0.5,cdf100,cdf250,cdf400,exceed250,modes" {
		t.Fatalf("%v, standard output is\n%s", err, text)
	}
	number := func(row int, column string) float64 {
		v, err := strconv.ParseFloat(rows[row][slices.Index(rows[0], column)], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
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
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if o := acqnp("serve", out, "--device", "cpu", "--precision", "fp32", "--listen", taken.Addr().String()); o.code == 0 || !strings.Contains(o.err, "--precision fp32 has no effect on it") {
		t.Errorf("a precision that is not used: exit code %d, %q", o.code, o.err)
	}
	_, url, _, _ := served(t, out)
	r, err := http.Post(url+"/v1/predict", "application/json", strings.NewReader(`{"functions": [{"name": "x", "context": {"x": [[0.5], [3]], "y": [[278], [190]]}, "targets": {"x": [[1], [3]]}}], "quantiles": [0.25, 0.5]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var answer struct {
		Functions []struct {
			Targets []struct {
				Channels []struct{ Quantiles []float64 }
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || r.StatusCode != 200 {
		t.Fatalf("status %d, %v", r.StatusCode, err)
	}
	for i, target := range answer.Functions[0].Targets {
		for k, column := range []string{"q0.25", "q0.5"} {
			if got, want := target.Channels[0].Quantiles[k], number(i+1, column); math.Abs(got-want) > 1e-9*want {
				t.Errorf("target %d: %s is %v on the server, %v in a file", i, column, got, want)
			}
		}
	}
	far, err := http.Post(url+"/v1/predict", "application/json", strings.NewReader(`{"functions": [{"name": "x", "context": {"x": [], "y": []}, "targets": {"x": [[400]]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer far.Body.Close()
	var warned struct{ Warnings []string }
	if err := json.NewDecoder(far.Body).Decode(&warned); err != nil || len(warned.Warnings) != 1 || !strings.Contains(warned.Warnings[0], "age of 1 of 1 target is not among the data's 0.5 to 4") {
		t.Errorf("a target far from the data: %v, %+v", err, warned)
	}
	if r, err := http.Get(url + "/v1/model"); err != nil || r.StatusCode != 200 {
		t.Errorf("/v1/model: %v", err)
	}
}
