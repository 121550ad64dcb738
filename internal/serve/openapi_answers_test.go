package serve_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// fits reports what of a value is not as a schema of the description says: fields that it lacks or does not know,
// and kinds. It judges no bounds.
func fits(document, schema map[string]any, value any, where string) (wrong []string) {
	if ref, is := schema["$ref"].(string); is {
		at := any(document)
		for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(map[string]any)[step]
		}
		schema = at.(map[string]any)
	}
	switch value := value.(type) {
	case map[string]any:
		known, _ := schema["properties"].(map[string]any)
		for name, inner := range value {
			if s, is := known[name].(map[string]any); is {
				wrong = append(wrong, fits(document, s, inner, where+"."+name)...)
			} else if schema["additionalProperties"] == false {
				wrong = append(wrong, where+"."+name+" is not described")
			}
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, has := value[name.(string)]; !has {
				wrong = append(wrong, fmt.Sprintf("%s lacks %s", where, name))
			}
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, one := range value {
			wrong = append(wrong, fits(document, items, one, fmt.Sprintf("%s[%d]", where, i))...)
		}
	}
	wanted, is := schema["type"].([]any)
	if !is && schema["type"] != nil {
		wanted = []any{schema["type"]}
	}
	if wanted != nil && !slices.ContainsFunc(wanted, func(kind any) bool { return slices.Contains(kinds(value), kind.(string)) }) {
		wrong = append(wrong, fmt.Sprintf("%s is %v, expected %v", where, value, wanted))
	}
	return wrong
}

// kinds returns the types of JSON Schema that a value is of.
func kinds(value any) []string {
	switch v := value.(type) {
	case bool:
		return []string{"boolean"}
	case string:
		return []string{"string"}
	case float64:
		if v == math.Trunc(v) {
			return []string{"number", "integer"}
		}
		return []string{"number"}
	case []any:
		return []string{"array"}
	case map[string]any:
		return []string{"object"}
	}
	return []string{"null"}
}

// The examples of the description, and requests for all that an answer can have, are answered as it says.
func TestAnswersAreAsDescribed(t *testing.T) {
	server, _ := start(t)
	decode := func(text []byte) (v map[string]any) {
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("%v: %.200s", err, text)
		}
		return v
	}
	_, text := get(t, server.URL+"/openapi.json")
	document := decode([]byte(text))
	media := func(at any) map[string]any {
		return at.(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)
	}
	operation := func(path, method string) map[string]any {
		return document["paths"].(map[string]any)[path].(map[string]any)[method].(map[string]any)
	}
	check := func(o map[string]any, status int, answer []byte) {
		t.Helper()
		if status != http.StatusOK {
			t.Fatalf("status %d: %.200s", status, answer)
		}
		schema := media(o["responses"].(map[string]any)["200"])["schema"].(map[string]any)
		for _, wrong := range fits(document, schema, decode(answer), o["operationId"].(string)) {
			t.Error(wrong)
		}
	}
	status, models := get(t, server.URL+"/v1/model")
	check(operation("/v1/model", "get"), status, []byte(models))
	for _, path := range []string{"/v1/predict", "/v1/score"} {
		o := operation(path, "post")
		body := media(o["requestBody"])
		example := body["example"].(map[string]any)
		requests := []map[string]any{example}
		if path == "/v1/predict" {
			all := maps.Clone(example)
			maps.Copy(all, map[string]any{"density": map[string]any{"points": 5.0}, "draws": 3.0, "seed": 1.0})
			for name, schema := range document["components"].(map[string]any)["schemas"].(map[string]any)["PredictRequest"].(map[string]any)["properties"].(map[string]any) {
				schema, _ := schema.(map[string]any)
				switch _, asked := all[name]; {
				case asked || name == "run" || name == "as_new":
				case schema["type"] == "array":
					all[name] = []any{0.5, 0.9}
				case schema["type"] == "boolean":
					all[name] = true
				default:
					all[name] = map[string]any{"y": []any{-1.0, 0.5}}
				}
			}
			requests = append(requests, all)
		}
		for _, request := range requests {
			request["run"] = "a"
			for _, wrong := range fits(document, body["schema"].(map[string]any), request, "request") {
				t.Error(wrong)
			}
			text := must.Get(json.Marshal(request))(t)
			status, answer := post(t, server.URL+path, string(text))
			check(o, status, answer)
		}
	}
}
