package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
)

// real starts the real server on models of one input, of two, and of a date, a name and a logarithm.
func real(t *testing.T) *httptest.Server {
	t.Helper()
	return httptest.NewServer(serve.New([]*serve.Model{
		servetest.Model(t, "curve", servetest.Curve),
		servetest.Model(t, "plane", servetest.Cars(t, "x: [age, miles]", "y: [score]")),
		servetest.Model(t, "cars", servetest.Cars(t, "x: [sold, miles, fuel]", "y: [score, price]", "categories: [fuel]", "log: [miles]")),
	}, serve.Options{Limits: serve.DefaultLimits()}))
}

// shaded returns the number of pixels of the drawing that are bluer than grey, as the density is.
func (b *tab) shaded() int {
	b.Helper()
	return value[int](b, `(() => {
		const c = document.getElementById("canvas");
		const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true });
		copy.drawImage(c, 0, 0);
		const p = copy.getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 0; i < p.length; i += 4) n += Math.abs(p[i + 2] - p[i]) > 8 ? 1 : 0;
		return n;
	})()`)
}

// complaint returns the line of what is wrong, "" if nothing is.
func (b *tab) complaint() string {
	b.Helper()
	return value[string](b, `document.getElementById("error").textContent`)
}

// rows downloads the table of predictions and returns it without its header.
func (b *tab) rows() [][]string {
	b.Helper()
	rows := readCSV(b.T, b.download("#save-table", "predictions.csv"))
	if len(rows) < 50 {
		b.Fatalf("the table has %d rows, expected one for each target", len(rows))
	}
	return rows[1:]
}

// ask returns the mean and the sd of the first output that the server predicts for x, written as JSON.
func ask(t *testing.T, server *httptest.Server, run, context, x string) (mean, sd float64) {
	t.Helper()
	body := fmt.Sprintf(`{"run": %q, "functions": [{"context": %s, "targets": {"x": [%s]}}]}`, run, context, x)
	r, err := http.Post(server.URL+"/v1/predict", "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var found struct {
		Functions []struct {
			Targets []struct {
				Channels []struct{ Mean, SD float64 }
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&found); err != nil || len(found.Functions) != 1 {
		t.Fatalf("%s: status %d, %v", body, r.StatusCode, err)
	}
	c := found.Functions[0].Targets[0].Channels[0]
	return c.Mean, c.SD
}

// number reads a cell.
func number(t *testing.T, cell string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// On the real server, clicked points give a density, and the table that is saved has the server's numbers.
func TestRealCurve(t *testing.T) {
	server := real(t)
	b := openOn(t, server, "run=curve")
	b.settled()
	for _, p := range [][2]float64{{0.3, 0.4}, {0.6, 0.6}} {
		x, y := b.at(p[0], p[1])
		b.run(chromedp.MouseClickXY(x, y))
	}
	b.settled()
	points := b.points()
	if len(points) != 2 || b.complaint() != "" {
		t.Fatalf("after two clicks, found %q and %q", points, b.complaint())
	}
	with := b.shaded()
	b.shot("real-curve")
	b.run(chromedp.Click(`input[value="density"]`))
	b.settled()
	if without := b.shaded(); with < 2*without+1000 {
		t.Errorf("%d pixels are coloured with the density, %d without", with, without)
	}
	b.run(chromedp.Click(`input[value="draws"]`), chromedp.Click(`input[value="modes"]`))
	b.until(`document.getElementById("canvas").dataset.draws`)
	b.settled()
	var xs, ys []string
	for _, p := range points {
		x, y, _ := strings.Cut(p, ",")
		xs, ys = append(xs, "["+x+"]"), append(ys, "["+y+"]")
	}
	context := fmt.Sprintf(`{"x": [%s], "y": [%s]}`, strings.Join(xs, ","), strings.Join(ys, ","))
	for _, row := range b.rows()[:3] { // function, target, x, channel, mean, sd
		mean, sd := ask(t, server, "curve", context, "["+row[2]+"]")
		if number(t, row[4]) != mean || number(t, row[5]) != sd {
			t.Errorf("at x = %s, the table has %s and %s, the server %v and %v", row[2], row[4], row[5], mean, sd)
		}
	}
}

func TestRealMap(t *testing.T) {
	server := real(t)
	b := openOn(t, server, "run=plane")
	b.settled()
	x, y := b.at(0.5, 0.3)
	b.run(chromedp.MouseClickXY(x, y))
	b.settled()
	if found := b.points(); len(found) != 1 || strings.Count(found[0], ",") != 2 || b.complaint() != "" {
		t.Fatalf("after a click, found %q and %q", found, b.complaint())
	}
	b.shot("real-map")
	b.choose("what", "sd")
	b.settled()
	cells := strings.Split(b.points()[0], ",")
	row := b.rows()[7] // function, target, age, miles, channel, mean, sd
	mean, _ := ask(t, server, "plane", fmt.Sprintf(`{"x": [[%s, %s]], "y": [[%s]]}`, cells[0], cells[1], cells[2]), "["+row[2]+","+row[3]+"]")
	if number(t, row[5]) != mean {
		t.Errorf("at %s, %s, the table has %s, the server %v", row[2], row[3], row[5], mean)
	}
}

// Dates, names and logarithms go to the server and to files as it takes them.
func TestRealColumns(t *testing.T) {
	b := openOn(t, real(t), "run=cars")
	b.settled()
	x, y := b.at(0.5, 0.4)
	b.run(chromedp.MouseClickXY(x, y))
	b.settled()
	if found := b.points(); len(found) != 1 || b.complaint() != "" {
		t.Fatalf("after a click, found %q and %q", found, b.complaint())
	}
	b.shot("real-dates")
	if row := b.rows()[0]; !strings.HasPrefix(row[2], "2024-0") || row[4] != "diesel" {
		t.Errorf("the table's first row is %q, expected a date and a name", row)
	}
	for _, over := range []string{"1", "2"} { // the logarithm, the name
		b.choose("over", over)
		b.settled()
		x, y := b.at(0.1, 0.5)
		b.run(chromedp.MouseClickXY(x, y))
		b.settled()
		if b.complaint() != "" {
			t.Errorf("over input %s: %q", over, b.complaint())
		}
		b.shot("real-over-" + over)
	}
	file := filepath.Join(t.TempDir(), "context.csv")
	if err := os.WriteFile(file, []byte("sold,miles,fuel,score,price\n2024-03-05,20,petrol,1,300\n2024-03-09 12:00,0,none,0.5,200\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.Click("#load > summary"), chromedp.SetUploadFiles("#file", []string{file}))
	b.until(`document.getElementById("loaded").textContent.includes("2 rows")`)
	b.settled()
	if found := b.points(); !slices.Equal(found, []string{"4,20,petrol,1,300", "8.5,0,none,0.5,200"}) || b.complaint() != "" {
		t.Errorf("after the upload, found %q and %q", found, b.complaint())
	}
	rows := readCSV(t, b.download("#save-context", "context.csv"))
	if len(rows) != 3 || rows[2][1] != "2024-03-09T12:00:00Z" {
		t.Errorf("the saved points are %q", rows)
	}
}
