package serve

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed openapi.yaml
var openapi []byte

// document returns openapi.yaml as JSON.
var document = sync.OnceValue(func() json.RawMessage {
	var v any
	if err := yaml.Unmarshal(openapi, &v); err != nil {
		panic(err) // the file is in the program
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
})

func describeAPI(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, document())
}
