package page

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/serve/servetest"
)

// models starts a server of models of one input, of two, and of a date, a logarithm and a name.
func models(t *testing.T, change func(*serve.Options)) *httptest.Server {
	t.Helper()
	o := serve.Options{Limits: serve.DefaultLimits()}
	if change != nil {
		change(&o)
	}
	mux := http.NewServeMux()
	mux.Handle("/test/", http.StripPrefix("/test/", http.FileServer(http.Dir("testdata"))))
	mux.Handle("/", serve.New([]*serve.Model{
		servetest.Model(t, "curve", servetest.Curve),
		servetest.Model(t, "plane", servetest.Cars(t, "x: [age, miles]", "y: [score]")),
		servetest.Model(t, "cars", servetest.Cars(t, "x: [sold, miles, fuel]", "y: [score, price]", "categories: [fuel]", "log: [miles]")),
	}, o))
	return httptest.NewServer(mux)
}

func TestPlainGroups(t *testing.T) {
	b := open(t, models(t, nil), "")
	for _, failure := range value[[]string](b, `import("/test/plain.js").then((m) => m.failures)`) {
		t.Error(failure)
	}
}

// Points are added, dragged and deleted by the mouse, and the table that is saved has the server's numbers.
func TestMouse(t *testing.T) {
	server := models(t, nil)
	b := open(t, server, "run=curve")
	b.settled()
	x, y := b.at(0.3, 0.25)
	b.run(chromedp.MouseClickXY(x, y))
	b.settled()
	if found := b.points(); len(found) != 1 {
		t.Fatalf("after a click, found the points %q, expected one", found)
	}
	x2, y2 := b.at(0.7, 0.8)
	b.drag(x, y, x2, y2)
	b.settled()
	dragged := b.points()
	if where := value[[]float64](b, `(() => { const r = document.querySelector("#surface > button").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`); len(dragged) != 1 || max(where[0]-x2, x2-where[0], where[1]-y2, y2-where[1]) > 2 {
		t.Errorf("a point that was dragged to %v, %v is at %v: %q", x2, y2, where, dragged)
	}
	px, py, _ := strings.Cut(dragged[0], ",")
	for _, row := range b.rows()[:3] { // group, target, x, channel, mean, sd
		mean, sd := ask(t, server, fmt.Sprintf(`{"run": "curve", "groups": [{"context": {"x": [[%s]], "y": [[%s]]}, "targets": {"x": [[%s]]}}]}`, px, py, row[2]))
		if row[4] != mean || row[5] != sd {
			t.Errorf("at x = %s, the table has %s and %s, the server %s and %s", row[2], row[4], row[5], mean, sd)
		}
	}
	x3, y3 := b.at(0.9, 0.3)
	b.run(chromedp.MouseClickXY(x, y), chromedp.MouseClickXY(x3, y3))
	b.settled()
	b.shot("three-points")
	time.Sleep(700 * time.Millisecond) // or the page takes the double click for the one that added the point
	b.run(chromedp.MouseClickXY(x2, y2, chromedp.ClickCount(2)))
	if found := b.points(); len(found) != 2 || slices.Contains(found, dragged[0]) {
		t.Errorf("after a double click, found %q, expected the point %s to be gone", found, dragged[0])
	}
	b.run(chromedp.MouseClickXY(x3, y3), chromedp.Click("#delete"))
	if found := b.points(); len(found) != 1 {
		t.Errorf("after Delete point, found %q, expected one point", found)
	}
	b.run(chromedp.Click("#clear"))
	if found := b.points(); len(found) != 0 {
		t.Errorf("after Clear, found %q, expected no point", found)
	}
}

// drag moves the mouse with its button down, in steps as a hand does.
func (b *tab) drag(x1, y1, x2, y2 float64) {
	b.Helper()
	held := func(p *input.DispatchMouseEventParams) { p.Buttons = 1 }
	b.run(chromedp.MouseEvent(chromedp.MousePressed, x1, y1, chromedp.ButtonLeft, held, chromedp.ClickCount(1)))
	for i := range 30 {
		s := float64(i+1) / 30
		b.run(chromedp.MouseEvent(chromedp.MouseMoved, x1+s*(x2-x1), y1+s*(y2-y1), chromedp.ButtonLeft, held), chromedp.Sleep(8*time.Millisecond))
	}
	b.run(chromedp.MouseEvent(chromedp.MouseReleased, x2, y2, chromedp.ButtonLeft, chromedp.ClickCount(1)))
}

// ask returns the mean and the sd that the server predicts, as JSON has them.
func ask(t *testing.T, server *httptest.Server, body string) (mean, sd string) {
	t.Helper()
	r, err := http.Post(server.URL+"/v1/predict", "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var found struct {
		Groups []struct {
			Targets []struct {
				Channels []struct{ Mean, SD json.Number }
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&found); err != nil || len(found.Groups) != 1 {
		t.Fatalf("%s: status %d, %v", body, r.StatusCode, err)
	}
	c := found.Groups[0].Targets[0].Channels[0]
	return c.Mean.String(), c.SD.String()
}

func TestKeyboard(t *testing.T) {
	b := open(t, models(t, nil), "run=curve")
	b.settled()
	b.run(chromedp.Focus("#surface"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp, chromedp.KeyModifiers(kb.ModifierShift)), chromedp.KeyEvent(kb.Enter))
	before := b.points()
	if len(before) != 1 {
		t.Fatalf("after Right, Shift+Up and Enter, found %q, expected a point", before)
	}
	b.settled()
	b.until(`document.getElementById("summary").textContent.includes("1 known point. At x = ")`)
	b.run(chromedp.KeyEvent(kb.Tab))
	if label := value[string](b, `document.activeElement.getAttribute("aria-label")`); !strings.HasPrefix(label, "Point 1: x ") {
		t.Errorf("after Tab, the focus is on %q, expected Point 1", label)
	}
	b.run(chromedp.KeyEvent(kb.ArrowLeft))
	if after := b.points(); len(after) != 1 || after[0] == before[0] {
		t.Errorf("Left left the point at %q", after)
	}
	b.run(chromedp.KeyEvent(kb.Delete))
	if found, focus := b.points(), value[string](b, `document.activeElement.id`); len(found) != 0 || focus != "surface" {
		t.Errorf("after Delete, found %q and the focus on %q, expected no point and the plot", found, focus)
	}
}

// What is shown stands in the address, and the address shows it again.
func TestOptions(t *testing.T) {
	b := open(t, models(t, nil), "run=curve&points=0.3,0.5;-0.6,-0.7")
	b.settled()
	with := b.shaded()
	b.run(chromedp.Click(`input[value="density"]`))
	b.settled()
	if without := b.shaded(); with < 2*without+1000 {
		t.Errorf("%d pixels are coloured with the density, %d without", with, without)
	}
	b.run(chromedp.Click(`input[value="quantiles"]`), chromedp.Click(`input[value="draws"]`))
	b.until(`document.getElementById("canvas").dataset.draws`)
	b.choose("quantiles", "0.1 0.9")
	b.settled()
	b.shot("quantiles-and-draws")
	if hash := value[string](b, "location.hash"); !strings.Contains(hash, "quantiles=0.1,0.9") || !strings.Contains(hash, "show=quantiles,draws") {
		t.Errorf("the address is %s, expected the chosen quantiles and what is shown", hash)
	}
}

// A bound of y has a bar as dark as it is probable, and a number in the words. A known point beyond it is said.
func TestBounds(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("g,x,pay\n")
	for i := range 160 {
		fmt.Fprintf(&rows, "g%d,%d,%.3f\n", i/8, i%8, max(0, 3*math.Sin(float64(i*i))+float64(i%8)/2-1))
	}
	o := fit.Options{File: filepath.Join(t.TempDir(), "pay.csv"), Instant: true, Out: t.TempDir(), Threads: 2, Progress: progress.Quiet(progress.New(os.Stderr, progress.Auto))}
	err := os.WriteFile(o.File, []byte(rows.String()), 0o600)
	if err == nil {
		o.Formula, err = formula.Parse("pay ~ x | g")
	}
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := fit.Fit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := serve.NewModel("pay", f, 2)
	if err != nil {
		t.Fatal(err)
	}
	m.Ranges = datasets.Ranges{X: f.Ranges, Y: f.YRanges}
	server := httptest.NewServer(serve.New([]*serve.Model{m}, serve.Options{Limits: serve.DefaultLimits()}))
	b := open(t, server, "")
	b.settled()
	b.until(`document.getElementById("summary").textContent.includes("exactly 0 has")`)
	b.shot("bounds")
	// The bar at 0 is darker where x is small.
	dark := value[[]float64](b, `(() => {
		const c = document.getElementById("canvas");
		const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true });
		copy.drawImage(c, 0, 0);
		const ratio = c.width / c.clientWidth;
		return [0.1, 0.95].map((at) => copy.getImageData((64 + at * (c.clientWidth - 78)) * ratio, (c.clientHeight - 44 - 2) * ratio, 1, 1).data[0]);
	})()`)
	if !(dark[0]+20 < dark[1]) {
		t.Errorf("the bar has the red of %v at x = 0.7, and of %v at 6.7; want it darker at first", dark[0], dark[1])
	}
	if said := value[string](b, `document.getElementById("warnings").textContent`); said != "" {
		t.Errorf("found the warning %s, expected none", said)
	}
	b = open(t, server, "run=pay&points=3,-5")
	b.until(`document.getElementById("warnings").checkVisibility() && document.getElementById("warnings").textContent.includes("pay of 1 known point is beyond the data")`)
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

func TestUploadAndDownload(t *testing.T) {
	b := open(t, models(t, nil), "run=curve")
	b.settled()
	b.upload("group,y,x\na,0.5,-0.25\nb,-0.5,0.75\nb,0.1,0.2\n", "3 rows of 2 groups")
	if found := b.points(); !slices.Equal(found, []string{"-0.25,0.5"}) {
		t.Errorf("after the upload, found %q, expected the point of group a", found)
	}
	b.choose("group", "1")
	b.settled()
	rows := readCSV(t, b.download("#save-context", "context.csv"))
	if len(rows) != 3 || !slices.Equal(rows[1], []string{"1", "0.75", "-0.5"}) {
		t.Errorf("the points are %q, expected a header and those of group b", rows)
	}
	if picture := b.download("#save-picture", "curve.png"); !strings.HasPrefix(string(picture), "\x89PNG") {
		t.Errorf("the picture starts with %q, expected a PNG", picture[:min(8, len(picture))])
	}
	b.run(chromedp.SetValue("#paste", "x,y\n0.5,many\n"), chromedp.Click("#use"))
	if text := b.complaint(); text != `CSV line 2, column y: found "many", expected a number` {
		t.Errorf("a wrong cell gives %q", text)
	}
	b.run(chromedp.SetValue("#paste", "x;y\n0.5;0.25\n"), chromedp.Click("#use"))
	if found := b.points(); !slices.Equal(found, []string{"0.5,0.25"}) || b.complaint() != "" {
		t.Errorf("after pasting, found %q and %q", found, b.complaint())
	}
}

// upload gives the page a file, and waits for what it says of it.
func (b *tab) upload(text, said string) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "context.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	b.run(chromedp.Click("#load > summary"), chromedp.SetUploadFiles("#file", []string{file}))
	b.until(`document.getElementById("loaded").textContent.includes("` + said + `")`)
	b.settled()
}

// download clicks a button and returns the file that the browser saves.
func (b *tab) download(button, name string) []byte {
	b.Helper()
	folder := b.TempDir()
	behavior := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder}
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, behavior); err != nil {
		b.Fatal(err)
	}
	b.run(chromedp.Click(button))
	for range 100 {
		// The browser writes to a file of another name first.
		if content, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
			return content
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatalf("%s: no %s came", button, name)
	return nil
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

func readCSV(t *testing.T, content []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// complaint returns the line of what is wrong, "" if nothing is.
func (b *tab) complaint() string {
	b.Helper()
	return value[string](b, `document.getElementById("error").textContent`)
}

func TestMap(t *testing.T) {
	b := open(t, models(t, nil), "run=plane")
	b.settled()
	x, y := b.at(0.5, 0.3)
	b.run(chromedp.MouseClickXY(x, y))
	b.settled()
	before := b.points()
	if len(before) != 1 || strings.Count(before[0], ",") != 2 || b.complaint() != "" {
		t.Fatalf("after a click, found %q and %q", before, b.complaint())
	}
	b.run(chromedp.Focus("#surface > button"), chromedp.KeyEvent(kb.PageUp))
	if after := b.points(); after[0] == before[0] {
		t.Errorf("Page Up left the point at %q", after)
	}
	b.choose("what", "sd")
	b.settled()
	b.shot("map")
	b.choose("over", "1")
	b.settled()
	if hash := value[string](b, "location.hash"); !strings.Contains(hash, "axes=miles") || b.complaint() != "" {
		t.Errorf("the address is %s, expected axes=miles; %q", hash, b.complaint())
	}
}

// Dates, names and logarithms go to the server and to files as it takes them.
func TestColumns(t *testing.T) {
	b := open(t, models(t, nil), "run=cars")
	b.settled()
	for over := range 3 { // the date, the logarithm, the name
		b.choose("over", strconv.Itoa(over))
		b.settled()
		x, y := b.at(0.1, 0.5)
		b.run(chromedp.MouseClickXY(x, y))
		b.settled()
		if b.complaint() != "" {
			t.Errorf("over input %d: %q", over, b.complaint())
		}
		b.shot("over-" + strconv.Itoa(over))
	}
	b.upload("sold,miles,fuel,score,price\n2024-03-05,20,petrol,1,300\n2024-03-09 12:00,0,none,0.5,200\n", "2 rows")
	if found := b.points(); !slices.Equal(found, []string{"4,20,petrol,1,300", "8.5,0,none,0.5,200"}) || b.complaint() != "" {
		t.Errorf("after the upload, found %q and %q", found, b.complaint())
	}
	if rows := readCSV(t, b.download("#save-context", "context.csv")); len(rows) != 3 || rows[2][1] != "2024-03-09T12:00:00Z" {
		t.Errorf("the saved points are %q", rows)
	}
	b.choose("run", "plane")
	b.settled()
	if found := b.points(); len(found) != 0 {
		t.Errorf("another run starts with %q, expected no points", found)
	}
}

// At the widths of a desktop, a tablet and a phone, nothing is wider than the page, and a tap adds a point.
func TestWidths(t *testing.T) {
	b := open(t, models(t, nil), "run=curve")
	for _, size := range [][2]int64{{1280, 800}, {768, 1024}, {390, 844}} {
		b.run(chromedp.EmulateViewport(size[0], size[1], chromedp.EmulateTouch), chromedp.Reload())
		b.settled()
		x, y := b.at(0.4, 0.3)
		b.run(chromedp.TapXY(x, y))
		b.settled()
		if found := b.points(); len(found) != 1 {
			t.Errorf("%d: after a tap, found %q, expected one point", size[0], found)
		}
		b.shot("width-" + strconv.FormatInt(size[0], 10))
		if wide := value[int64](b, "document.documentElement.scrollWidth"); wide > size[0] {
			t.Errorf("%d: the page is %d pixels wide", size[0], wide)
		}
		b.run(chromedp.Click("#clear"))
		b.points()
	}
}

func TestErrorsOfTheServer(t *testing.T) {
	b := open(t, models(t, func(o *serve.Options) { o.Points = 50 }), "run=curve")
	b.allowed = "413 (Request Entity Too Large)"
	b.until(`document.getElementById("error").textContent.includes("50")`)
}

func TestToken(t *testing.T) {
	b := open(t, models(t, func(o *serve.Options) { o.Token = "secret" }), "run=curve")
	b.allowed = "401 (Unauthorized)"
	b.until(`!document.getElementById("token-form").hidden`)
	if value[bool](b, `document.getElementById("stage").checkVisibility()`) {
		t.Error("an empty plot is above the token")
	}
	b.run(chromedp.SendKeys("#token", "secret"+kb.Enter))
	b.until(`document.getElementById("token-form").hidden && document.getElementById("stage").checkVisibility()`)
	b.settled()
}
