package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

// operations are the paths of the API's description, and their methods.
type operations struct {
	Paths map[string]map[string]struct {
		Security    *[]any
		Description string
		Responses   map[string]any
	}
}

// Every route is described, and everything that is described is a route. TestAnswersAreAsDescribed tests the answers.
func TestRoutesAreDescribed(t *testing.T) {
	server, s := start(t, func(o *serve.Options) { o.Token = "secret" })
	r := must.Get(http.Get(server.URL + "/openapi.json"))(t)
	defer r.Body.Close()
	if kind := r.Header.Get("Content-Type"); r.StatusCode != 200 || kind != "application/json" {
		t.Errorf("status %d, type %s", r.StatusCode, kind)
	}
	var d operations
	must.Do(t, json.NewDecoder(r.Body).Decode(&d))
	var described []string
	for path, methods := range d.Paths {
		for method, o := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
			open := o.Security != nil
			if status, _ := get(t, server.URL+path); (status != 401) != open {
				t.Errorf("%s without a token: %d; is it described without security? %t", path, status, open)
			}
			if _, has := o.Responses["401"]; has == open {
				t.Errorf("%s: 401 described: %t, without security: %t", path, has, open)
			}
		}
	}
	routes := append(s.Routes(), "GET /")
	slices.Sort(routes)
	slices.Sort(described)
	if !slices.Equal(routes, described) {
		t.Errorf("described: %q\nroutes:    %q", described, routes)
	}
}

// The limits in the description are the program's.
func TestLimitsAreDescribed(t *testing.T) {
	_, s := start(t)
	text, l := within(t, s, "GET", "/openapi.json", ""), serve.DefaultLimits()
	for _, want := range []string{
		fmt.Sprintf("At most %d points in all groups, %d groups, %d numbers in the answer, %d bytes and %.0f s", l.Points, l.Groups, l.Numbers, l.Body, l.Time.Seconds()),
		fmt.Sprintf("more than %d evaluations of a component", l.Work),
		fmt.Sprintf("more than %.0f s to read 64 KB", l.Reading.Seconds()),
		fmt.Sprintf("requests as it takes at a time, %d", l.Concurrent),
		fmt.Sprintf(`"maxItems":%d`, l.Groups),
	} {
		if !strings.Contains(strings.ReplaceAll(text, `\n`, " "), want) {
			t.Errorf("the description lacks %q", want)
		}
	}
}
