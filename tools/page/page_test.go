package page

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestPlainFunctions(t *testing.T) {
	b := open(t, "")
	for _, failure := range value[[]string](b, `import("/test/plain.js").then((m) => m.failures)`) {
		t.Error(failure)
	}
}

func TestMouse(t *testing.T) {
	b := open(t, "")
	b.settled()
	b.shot("empty")
	x, y := b.at(0.3, 0.25)
	b.run(chromedp.MouseClickXY(x, y))
	b.settled()
	before := b.points()
	if len(before) != 1 {
		t.Fatalf("after a click, found the points %q, expected one", before)
	}
	x2, y2 := b.at(0.7, 0.8)
	b.drag(x, y, x2, y2)
	b.settled()
	after := b.points()
	if len(after) != 1 || !near(t, after[0], 0.432, -0.744) { // of the ranges ±1.08 and ±1.24
		t.Errorf("after a drag, found %q, expected one point near 0.432,-0.744", after)
	}
	b.run(chromedp.MouseClickXY(x, y))
	x3, y3 := b.at(0.9, 0.3)
	b.run(chromedp.MouseClickXY(x3, y3))
	b.settled()
	b.shot("three-points")
	time.Sleep(700 * time.Millisecond) // or the page takes the double click for the one that added the point
	b.run(chromedp.MouseClickXY(x2, y2, chromedp.ClickCount(2)))
	if found := b.points(); len(found) != 2 || slices.Contains(found, after[0]) {
		t.Errorf("after a double click, found %q, expected the point %s to be gone", found, after[0])
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

// near reports whether a point "x,y" lies within a pixel or two of (x, y).
func near(t *testing.T, point string, x, y float64) bool {
	cells := strings.Split(point, ",")
	for i, want := range []float64{x, y} {
		v, err := strconv.ParseFloat(cells[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		if v < want-0.01 || v > want+0.01 {
			return false
		}
	}
	return true
}

func TestKeyboard(t *testing.T) {
	b := open(t, "")
	b.settled()
	b.run(chromedp.Focus("#surface"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp, chromedp.KeyModifiers(kb.ModifierShift)), chromedp.KeyEvent(kb.Enter))
	if found := b.points(); len(found) != 1 || !near(t, found[0], 0.0216, 0.124) {
		t.Fatalf("after Right, Shift+Up and Enter, found %q, expected a point near 0.0216,0.124", found)
	}
	b.settled()
	b.until(`document.getElementById("summary").textContent.includes("1 context point. At x = 0.02")`)
	b.shot("keyboard")
	b.run(chromedp.KeyEvent(kb.Tab))
	if label := value[string](b, `document.activeElement.getAttribute("aria-label")`); !strings.HasPrefix(label, "Point 1: x 0.02") {
		t.Errorf("after Tab, the focus is on %q, expected Point 1", label)
	}
	for range 10 {
		b.run(chromedp.KeyEvent(kb.ArrowLeft))
	}
	if found := b.points(); len(found) != 1 || !near(t, found[0], -0.194, 0.124) {
		t.Errorf("after ten times Left, found %q, expected a point near -0.194,0.124", found)
	}
	b.run(chromedp.KeyEvent(kb.Delete))
	if found := b.points(); len(found) != 0 {
		t.Errorf("after Delete, found %q, expected no point", found)
	}
	if focus := value[string](b, `document.activeElement.id`); focus != "surface" {
		t.Errorf("after the last point is deleted, the focus is on %q, expected the plot", focus)
	}
}

func TestOptions(t *testing.T) {
	b := open(t, "run=curve&points=0.3,0.5;-0.6,-0.7")
	b.settled()
	b.run(chromedp.Click(`input[value="quantiles"]`), chromedp.Click(`input[value="modes"]`), chromedp.Click(`input[value="draws"]`))
	b.until(`document.getElementById("canvas").dataset.draws`)
	b.settled()
	b.shot("quantiles-and-draws")
	b.choose("quantiles", "0.1 0.9")
	b.points()
	if hash := value[string](b, "location.hash"); !strings.Contains(hash, "quantiles=0.1,0.9") || !strings.Contains(hash, "show=density,quantiles,modes,draws") {
		t.Errorf("the address is %s, expected the chosen quantiles and what is shown", hash)
	}
}

func TestUploadAndDownload(t *testing.T) {
	b := open(t, "")
	b.settled()
	folder := t.TempDir()
	file := filepath.Join(folder, "context.csv")
	if err := os.WriteFile(file, []byte("function,y,x\na,0.5,-0.25\nb,-0.5,0.75\nb,0.1,0.2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.Click("#load > summary"), chromedp.SetUploadFiles("#file", []string{file}))
	b.until(`document.getElementById("loaded").textContent.includes("3 rows of 2 groups")`)
	if found := b.points(); !slices.Equal(found, []string{"-0.25,0.5"}) {
		t.Errorf("after the upload, found %q, expected the point of function a", found)
	}
	b.choose("function", "1")
	b.settled()
	b.shot("upload")
	rows := readCSV(t, b.download("#save-table", "predictions.csv"))
	if want := []string{"function", "target", "x", "channel", "mean", "sd", "q0.05", "q0.5", "q0.95"}; !slices.Equal(rows[0], want) {
		t.Errorf("the table has the columns %q, expected %q", rows[0], want)
	}
	if len(rows) < 100 {
		t.Errorf("the table has %d rows, expected one for each target", len(rows))
	}
	rows = readCSV(t, b.download("#save-context", "context.csv"))
	if len(rows) != 3 || !slices.Equal(rows[1], []string{"1", "0.75", "-0.5"}) {
		t.Errorf("the points are %q, expected a header and those of function b", rows)
	}
	if picture := b.download("#save-picture", "curve.png"); !strings.HasPrefix(string(picture), "\x89PNG") {
		t.Errorf("the picture starts with %q, expected a PNG", picture[:min(8, len(picture))])
	}
	b.run(chromedp.SetValue("#paste", "x,y\n0.5,many\n"), chromedp.Click("#use"))
	if text := value[string](b, `document.getElementById("error").textContent`); text != `CSV line 2, column y: found "many", expected a number` {
		t.Errorf("a wrong cell gives %q", text)
	}
	b.run(chromedp.SetValue("#paste", "x;y\n0.5;0.25\n"), chromedp.Click("#use"))
	if found := b.points(); !slices.Equal(found, []string{"0.5,0.25"}) {
		t.Errorf("after pasting, found %q", found)
	}
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

func readCSV(t *testing.T, content []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(content))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestMap(t *testing.T) {
	b := open(t, "run=surface&points=2,3,0.8;7,8,-0.9")
	b.settled()
	b.shot("map")
	x, y := b.at(0.5, 0.2)
	b.run(chromedp.MouseClickXY(x, y))
	b.settled()
	if found := b.points(); len(found) != 3 || len(strings.Split(found[2], ",")) != 3 {
		t.Fatalf("after a click on the map, found %q, expected a third point of three numbers", found)
	}
	y0 := b.points()[2]
	b.run(chromedp.Focus("#surface > button:nth-child(3)"), chromedp.KeyEvent(kb.PageUp))
	if found := b.points(); found[2] == y0 {
		t.Errorf("Page Up left the point's y at %s", y0)
	}
	b.choose("what", "sd")
	b.settled()
	b.shot("map-sd")
	b.choose("over", "1")
	b.settled()
	b.shot("map-as-curve")
	if hash := value[string](b, "location.hash"); !strings.Contains(hash, "axes=north") {
		t.Errorf("the address is %s, expected axes=north", hash)
	}
}

func TestSlidersAndMenus(t *testing.T) {
	b := open(t, "run=mixed&points=1,50,petrol,0.5,0.1;4,20,diesel%2C%20old,-0.5,0.2&at=3,20,diesel%2C%20old")
	b.settled()
	b.shot("mixed")
	if text := value[string](b, `document.querySelector("#axes").textContent`); !strings.Contains(text, "mileage") || !strings.Contains(text, "fuel") || !strings.Contains(text, "Output") {
		t.Errorf("the inputs are %q, expected a slider, a menu and the outputs", text)
	}
	before := b.fake.predictions.Load()
	value[bool](b, `(() => { const s = document.querySelector("#axes input[type=range]"); s.value = 80; return s.dispatchEvent(new Event("input")); })()`)
	b.settled()
	if b.fake.predictions.Load() == before {
		t.Error("the slider asked for no prediction")
	}
	b.choose("over", "2")
	b.settled()
	b.shot("mixed-category")
	x, y := b.at(0.9, 0.5)
	b.run(chromedp.MouseClickXY(x, y))
	if found := b.points(); len(found) != 3 || !strings.Contains(found[2], ",none,") {
		t.Errorf("after a click at the third name, found %q, expected a point with it", found)
	}
	b.choose("channel", "1") // whose range the server does not say
	b.settled()
	b.shot("mixed-days")
	b.choose("run", "surface")
	b.settled()
	if found := b.points(); len(found) != 0 {
		t.Errorf("another run starts with %q, expected no points", found)
	}
}

func TestPhone(t *testing.T) {
	b := open(t, "")
	b.run(chromedp.EmulateViewport(360, 740, chromedp.EmulateScale(2), chromedp.EmulateTouch), chromedp.Reload())
	b.settled()
	x, y := b.at(0.4, 0.3)
	b.run(chromedp.TapXY(x, y))
	b.settled()
	if found := b.points(); len(found) != 1 {
		t.Errorf("after a tap, found %q, expected one point", found)
	}
	b.shot("phone")
	if wide := value[int](b, "document.documentElement.scrollWidth"); wide > 360 {
		t.Errorf("the page is %d pixels wide, expected no more than the phone's 360", wide)
	}
}

func TestDark(t *testing.T) {
	b := open(t, "points=0.3,0.5;-0.6,-0.7&show=density,quantiles,modes,draws")
	dark := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: dark}); err != nil {
		t.Fatal(err)
	}
	b.until(`document.getElementById("canvas").dataset.draws`)
	b.settled()
	b.shot("dark")
	pixel := value[[]int](b, `Array.from(document.getElementById("canvas").getContext("2d").getImageData(1, 1, 1, 1).data)`)
	if pixel[0] > 60 || pixel[1] > 60 || pixel[2] > 60 {
		t.Errorf("in the dark, the drawing's background is %v", pixel)
	}
}

func TestExample(t *testing.T) {
	b := open(t, "")
	b.settled()
	b.run(chromedp.Click("#example"))
	b.until(`document.querySelectorAll("#surface > button").length === 12`)
	b.settled()
	b.shot("example")
}

func TestErrorsOfTheServer(t *testing.T) {
	b := open(t, "")
	b.allowed = "400 (Bad Request)"
	b.settled()
	b.fake.refuse.Store(true)
	x, y := b.at(0.4, 0.3)
	b.run(chromedp.MouseClickXY(x, y))
	b.until(`document.getElementById("error").textContent === "run: found curve, expected another"`)
	b.shot("error")
	if !b.heard(b.allowed) {
		t.Error("the console has no line for the refused request: do the tests listen to it?")
	}
	b.fake.refuse.Store(false)
	x, y = b.at(0.6, 0.3)
	b.run(chromedp.MouseClickXY(x, y))
	b.until(`document.getElementById("error").hidden`)
}

func TestToken(t *testing.T) {
	b := open(t, "")
	b.allowed = "401 (Unauthorized)"
	b.settled()
	b.fake.token = "secret"
	b.run(chromedp.Reload())
	b.until(`!document.getElementById("token-form").hidden`)
	if value[bool](b, `document.getElementById("stage").checkVisibility()`) {
		t.Error("an empty plot is above the token")
	}
	b.run(chromedp.SendKeys("#token", "secret"+kb.Enter))
	b.until(`document.getElementById("token-form").hidden && document.getElementById("stage").checkVisibility()`)
	b.settled()
}

// TestLatency logs the time from an event to the drawing while a point is dragged. It judges nothing but
// that drawings happen, because times depend on the machine. PAGE_SERVER may name a running acqnp serve of
// one input, instead of the fake.
func TestLatency(t *testing.T) {
	const fragment = "points=-0.8,0.5"
	var b *tab
	if url := os.Getenv("PAGE_SERVER"); url != "" {
		b = openAt(t, url, fragment)
	} else {
		b = open(t, fragment)
	}
	b.settled()
	value[int](b, "(performance.clearMeasures(), performance.clearResourceTimings(), 0)")
	place := value[[]float64](b, `(() => { const r = document.querySelector("#surface > button").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`)
	x, y := b.at(0.9, 0.8)
	b.drag(place[0], place[1], x, y)
	b.settled()
	times := value[[]float64](b, `performance.getEntriesByName("event to drawing").map((m) => m.duration)`)
	if len(times) == 0 {
		t.Fatal("a drag of 30 steps gave no drawing")
	}
	slices.Sort(times)
	requests := value[[]float64](b, `performance.getEntriesByType("resource").map((m) => m.duration).sort((a, b) => a - b)`)
	t.Logf("%d requests: median %.0f ms, greatest %.0f ms", len(requests), requests[len(requests)/2], requests[len(requests)-1])
	t.Logf("event to drawing: %d drawings, median %.0f ms, greatest %.0f ms", len(times), times[len(times)/2], times[len(times)-1])
	b.shot("latency")
}

// At the widths of a desktop, a tablet and a phone: the header says what is predicted from what, nothing
// is wider than the page, no part of the page lies on another, and each row of a pasted table has a point.
func TestWidths(t *testing.T) {
	b := open(t, "run=prices")
	for _, size := range [][2]int64{{1280, 800}, {768, 1024}, {390, 844}} {
		b.run(chromedp.EmulateViewport(size[0], size[1]), chromedp.Reload())
		b.settled()
		name := strconv.FormatInt(size[0], 10)
		b.until(`document.getElementById("summary").textContent.startsWith("Click the plot")`)
		b.shot("width-" + name + "-empty")
		if title := value[string](b, `document.querySelector("h1").textContent`); title != "price ~ age | product, of prices.csv" {
			t.Errorf("%s: the header is %q", name, title)
		}
		b.run(chromedp.Click("#load > summary"), chromedp.SetValue("#paste", "age,product,price\n1,kettle,0.8\n1,kettle,0.8\n2,lamp,1.5\n3,kettle,0.4\n5,lamp,0.9\n"), chromedp.Click("#use"))
		b.settled()
		b.until(`document.getElementById("summary").textContent.startsWith("3 context points")`)
		b.shot("width-" + name)
		if n := value[int](b, `document.querySelectorAll("#surface > button").length`); n != 3 {
			t.Errorf("%s: %d points, expected one for each of the 3 rows of kettle", name, n)
		}
		if wide := value[int64](b, "document.documentElement.scrollWidth"); wide > size[0] {
			t.Errorf("%s: the page is %d pixels wide", name, wide)
		}
		if over := value[[]string](b, overlaps); len(over) > 0 {
			t.Errorf("%s: %q", name, over)
		}
		b.run(chromedp.Click("#clear"))
		b.points()
	}
}

// overlaps lists pairs of the page's parts that lie on each other.
const overlaps = `(() => {
	const parts = ["header", "#stage", "#summary", ".buttons", "aside > *"].flatMap((s) => [...document.querySelectorAll(s)]).filter((e) => e.offsetParent);
	const found = [];
	parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
		const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
		if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1) found.push((a.id || a.className || a.tagName) + " lies on " + (b.id || b.className || b.tagName));
	}));
	return found;
})()`

// Where the prediction has two branches, the page says both regions, and no interval across the gap.
func TestRegionsInWords(t *testing.T) {
	b := open(t, "run=curve&at=0.4")
	b.settled()
	b.until(`/^Click the plot.* At x = 0.4, 90% of y: −.* to −.* or .* to .*\.$/.test(document.getElementById("summary").textContent)`)
	b.run(chromedp.Click("#load > summary"), chromedp.SetValue("#paste", "x,y\n0.4,0.5\n"), chromedp.Click("#use"))
	b.until(`/^1 context point. At x = 0.4, 90% of y: 0.4.* to 0.5.*; median 0.5\.$/.test(document.getElementById("summary").textContent)`)
}

// Axes of numbers that are not below 0 begin at 0.
func TestAxesBeginAtZero(t *testing.T) {
	b := open(t, "run=prices")
	b.settled()
	ranges := value[[]float64](b, `[...document.querySelectorAll("#ranges input")].map((f) => Number(f.placeholder))`)
	if len(ranges) != 4 || ranges[0] != 0 || ranges[2] != 0 || ranges[1] < 6 || ranges[3] < 2 {
		t.Errorf("the axes reach %v, expected from 0", ranges)
	}
}
