// Package page tests the page of `acqnp serve` in a headless Chromium, on a server of small models with random
// weights.
package page

import (
	"context"
	"fmt"
	"iter"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A tab is a browser's tab on the page of a server.
type tab struct {
	*testing.T
	ctx context.Context

	mutex   sync.Mutex
	said    []string // errors of the console
	allowed string   // text in errors that the test expects; none if empty
}

// chromium returns the browser's path, and skips the test without one.
func chromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("found no chromium in PATH (Debian: apt-get install chromium)")
	return ""
}

var (
	chrome       context.Context // of the browser that all tests share
	closeChrome  = func() {}
	startsChrome sync.Once
)

// TestMain closes the browser after the tests.
func TestMain(m *testing.M) {
	code := m.Run()
	closeChrome()
	os.Exit(code)
}

// start starts the browser.
func start(t *testing.T, path string) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1200, 800))
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ = chromedp.NewContext(ctx)
	chrome, closeChrome = ctx, func() {
		_ = chromedp.Cancel(ctx) // the tests are over
		end()
	}
	if err := chromedp.Do(chrome); err != nil {
		t.Fatal(err)
	}
}

// open opens a tab at fragment on a server, which ends with the test. All tests share one browser.
func open(t *testing.T, server *httptest.Server, fragment string) *tab {
	t.Helper()
	t.Cleanup(server.Close)
	path := chromium(t)
	startsChrome.Do(func() { start(t, path) })
	ctx, closeTab := chromedp.NewContext(chrome)
	b := &tab{T: t, ctx: ctx}
	t.Cleanup(func() {
		b.quiet()
		closeTab()
	})
	messages := chromedp.Console(ctx)
	b.run(chromedp.Navigate(server.URL + "/#" + fragment))
	go b.listen(messages)
	return b
}

// listen keeps errors of the console, refused loads and exceptions, until the tab closes.
func (b *tab) listen(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.IsException() || m.Type == "error" || m.Type == "warning" {
			b.mutex.Lock()
			b.said = append(b.said, m.String())
			b.mutex.Unlock()
		}
	}
}

// quiet fails the test if the console has an error.
func (b *tab) quiet() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for _, text := range b.said {
		if b.allowed == "" || !strings.Contains(text, b.allowed) {
			b.Errorf("console: %s", text)
		}
	}
}

// limited returns a context that ends after a minute, so that a browser that hangs fails the test.
func (b *tab) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, time.Minute)
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, stop := b.limited()
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.shot("failed")
		b.Fatal(err)
	}
}

// value returns what an expression of JavaScript gives, which may be a promise.
func value[T any](b *tab, expression string) T {
	b.Helper()
	ctx, stop := b.limited()
	defer stop()
	found, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return found
}

// until waits for an expression to be true.
func (b *tab) until(expression string) {
	b.Helper()
	for range 600 {
		if value[bool](b, "!!("+expression+")") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.shot("failed")
	b.Fatalf("waited for %s, which did not come", expression)
}

// settled waits until the finer drawing is done.
func (b *tab) settled() {
	b.Helper()
	b.until(`document.getElementById("canvas").dataset.drawn && !document.getElementById("canvas").dataset.coarse`)
	before := -1
	for {
		drawn := value[int](b, `Number(document.getElementById("canvas").dataset.drawn)`)
		if drawn == before {
			return
		}
		before = drawn
		time.Sleep(500 * time.Millisecond) // longer than the page waits before it draws finer
		b.until(`!document.getElementById("canvas").dataset.coarse`)
	}
}

// shot writes a picture of the page into the folder $PAGE_SHOTS, if it is set.
func (b *tab) shot(name string) {
	b.Helper()
	folder := os.Getenv("PAGE_SHOTS")
	if folder == "" {
		return
	}
	ctx, stop := b.limited()
	defer stop()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.Logf("screenshot: %v", err)
		return
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		b.Fatal(err)
	}
}

// at returns the pixel of the plot at shares of its width and height, from its top left.
func (b *tab) at(across, down float64) (x, y float64) {
	b.Helper()
	r := value[[]float64](b, `(() => { const r = document.getElementById("surface").getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
	return r[0] + across*r[2], r[1] + down*r[3]
}

// points returns the points of the address, as "x,y" texts, after the page has written it.
func (b *tab) points() []string {
	b.Helper()
	b.until(`!document.getElementById("canvas").dataset.unsaved`)
	_, rest, _ := strings.Cut(value[string](b, "location.hash"), "points=")
	text, _, _ := strings.Cut(rest, "&")
	if text == "" {
		return nil
	}
	return strings.Split(text, ";")
}

// choose sets a field as a user does who chooses or types a value.
func (b *tab) choose(id, to string) {
	b.Helper()
	value[bool](b, fmt.Sprintf(`(() => { const f = document.getElementById(%q); f.value = %q; return f.dispatchEvent(new Event("change")); })()`, id, to))
}
