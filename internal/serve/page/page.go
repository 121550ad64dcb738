// Package page holds the page that `acqnp serve` shows at /: a few files of HTML, CSS and JavaScript
// that the program carries. The page needs nothing from the network but the server's own API,
// GET /v1/model and POST /v1/predict.
//
// The files of static are plain ES modules, without a framework and without a build step:
//
//	index.html, style.css  what is on the page, light and dark, wide and narrow
//	main.js                connects the parts: an event changes the state, the state asks for a prediction
//	state.js               what the user chose, and its form in the address
//	columns.js, grid.js    the model's columns, and the targets and requests of a view
//	api.js                 requests; the newest of those that wait is sent, the others are dropped
//	curve.js, map.js       drawings over one input and over two
//	axes.js, scale.js      axes, scales, ticks and numbers
//	points.js              the known points as focusable buttons above the drawing
//	panel.js, dom.js       menus, sliders and the table of points
//	csv.js, files.js       tables and pictures that go in and out
//	summary.js             the run and its predictions in words
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed static
var files embed.FS

// policy lets the page load its own files and call its own server, and nothing else. The picture to
// download is a blob.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// types lists the content types of the files, because those of package mime depend on the machine.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// A file is one answer.
type file struct {
	kind, tag string // Content-Type, ETag
	content   string
}

// Handler returns the handler of / and of the files below /page/. Other paths get 404, methods other
// than GET and HEAD get 405.
func Handler() http.Handler {
	known := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "index.html"
		if r.URL.Path != "/" {
			rest, below := strings.CutPrefix(r.URL.Path, "/page/")
			if name = rest; !below {
				name = ""
			}
		}
		f, found := known[name]
		if !found {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the page answers GET and HEAD, not "+r.Method, http.StatusMethodNotAllowed)
			return
		}
		f.write(w, r, name)
	})
}

// load reads the embedded files by their names.
func load() map[string]file {
	known := map[string]file{}
	entries, err := files.ReadDir("static")
	if err != nil {
		panic(err) // the folder is in the program
	}
	for _, e := range entries {
		content, err := fs.ReadFile(files, path.Join("static", e.Name()))
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		known[e.Name()] = file{types[path.Ext(e.Name())], `"` + hex.EncodeToString(sum[:8]) + `"`, string(content)}
	}
	return known
}

// write answers with the file, or with 304 if the browser has it.
func (f file) write(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("ETag", f.tag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	http.ServeContent(w, r, name, time.Time{}, strings.NewReader(f.content))
}
