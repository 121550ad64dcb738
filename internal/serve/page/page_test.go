package page_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/serve/page"
	"github.com/acqnp/acqnp/internal/test/must"
)

// get returns the answer of the page's handler.
func get(method, path, etag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	if etag != "" {
		r.Header.Set("If-None-Match", etag)
	}
	w := httptest.NewRecorder()
	page.Handler().ServeHTTP(w, r)
	return w
}

func TestHandler(t *testing.T) {
	for _, c := range []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/page/main.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/page/style.css", 200, "text/css; charset=utf-8"},
		{"GET", "/page/icon.svg", 200, "image/svg+xml"},
		{"GET", "/page/none.js", 404, ""},
		{"GET", "/page/", 404, ""},
		{"GET", "/page/../page.go", 404, ""},
		{"GET", "/main.js", 404, ""},
		{"POST", "/", 405, ""},
	} {
		w := get(c.method, c.path, "")
		if w.Code != c.status || c.kind != "" && w.Header().Get("Content-Type") != c.kind {
			t.Errorf("%s %s: found %d %s, expected %d %s", c.method, c.path, w.Code, w.Header().Get("Content-Type"), c.status, c.kind)
		}
	}
}

func TestAnUnchangedFileIsNotSentAgain(t *testing.T) {
	first := get("GET", "/page/main.js", "")
	if w := get("GET", "/page/main.js", first.Header().Get("ETag")); w.Code != http.StatusNotModified {
		t.Errorf("found %d, expected 304", w.Code)
	}
}

// The policy allows files of the server alone, and no script within the HTML.
func TestPolicy(t *testing.T) {
	w := get("GET", "/", "")
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "script-src 'self';") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %q", policy)
	}
	if found := regexp.MustCompile(`<script>|<style>|\son[a-z]+=|\sstyle=`).FindString(w.Body.String()); found != "" {
		t.Errorf("index.html holds %q, which the policy forbids", found)
	}
}

// Files refer only to files that the program carries.
func TestReferences(t *testing.T) {
	paths, err := filepath.Glob("static/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("found no files", err)
	}
	reference := regexp.MustCompile(`(?:from "\./|src="/page/|href="/page/)([^"]+)"`)
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(t)
		for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
			if w := get("GET", "/page/"+m[1], ""); w.Code != http.StatusOK {
				t.Errorf("%s: /page/%s gives %d", path, m[1], w.Code)
			}
		}
		if rest := strings.ReplaceAll(string(text), "http://www.w3.org/2000/svg", ""); strings.Contains(rest, "http://") || strings.Contains(rest, "https://") {
			t.Errorf("%s names an address in the network", path)
		}
	}
}
