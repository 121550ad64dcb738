package serve

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/predict"
)

//go:embed openapi.yaml
var openapi []byte

// document returns openapi.yaml as JSON, with the values of answers.
var document = sync.OnceValue(func() json.RawMessage {
	var v map[string]any
	parse(openapi, &v)
	schemas := v["components"].(map[string]any)["schemas"].(map[string]any)
	fill := func(name string, values []predict.Value, schema func(v predict.Value) map[string]any) {
		properties := schemas[name].(map[string]any)["properties"].(map[string]any)
		for _, v := range values {
			properties[v.Key] = schema(v)
		}
	}
	fill("PredictRequest", asked(), askedAs)
	fill("Distribution", append(predict.Always(predict.About{}), asked()...), answeredAs)
	fill("Score", predict.ScoreValues, answeredAs)
	fill("Known", predict.GroupValues(predict.About{Recalls: true, Nested: true}), answeredAs)
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
})

// parse reads YAML that is in the program.
func parse(text []byte, to any) {
	if err := yaml.Unmarshal(text, to); err != nil {
		panic(err)
	}
}

// described returns a schema with a value's description.
func described(schema map[string]any, v predict.Value) map[string]any {
	doc := strings.ReplaceAll(v.Doc, "`"+strings.ToUpper(v.Parameter())+"`", v.Parameter())
	schema["description"] = strings.ToUpper(doc[:1]) + doc[1:] + "."
	return schema
}

func ref(name string) map[string]any { return map[string]any{"$ref": "#/components/schemas/" + name} }

func listOf(schema any) map[string]any { return map[string]any{"type": "array", "items": schema} }

// askedAs returns the schema of a value's key in requests.
func askedAs(v predict.Value) map[string]any {
	switch v.Takes {
	case predict.Levels:
		return described(listOf(ref("Level")), v)
	case predict.Outcomes:
		return described(listOf(map[string]any{"type": "number"}), v)
	case predict.Range:
		return described(ref("Along"), v)
	}
	return described(map[string]any{"type": "boolean"}, v)
}

// answeredAs returns the schema of a value in answers. openapi.yaml has those of objects.
func answeredAs(v predict.Value) map[string]any {
	schema := ref("NumberOrNull")
	if v.Of != "" {
		schema = nil
		parse([]byte(v.Of), &schema)
	}
	switch v.Kind {
	case tabular.Object:
		schema = ref(strings.ToUpper(v.Key[:1]) + v.Key[1:])
	case tabular.Numbers:
		schema = listOf(schema)
	case tabular.Pairs:
		pair := listOf(schema)
		pair["minItems"], pair["maxItems"] = 2, 2
		schema = listOf(pair)
	}
	switch v.Takes {
	case predict.Range:
		schema = map[string]any{"type": "object", "required": []string{"y", "values"}, "additionalProperties": false,
			"properties": map[string]any{"y": listOf(map[string]any{"type": "number"}), "values": listOf(schema)}}
	case predict.Levels, predict.Outcomes:
		schema = listOf(schema)
	}
	return described(schema, v)
}

func describeAPI(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, document())
}
