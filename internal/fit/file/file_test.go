package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A fit of another schema says so, whatever its fields are, and what helps.
func TestFitsOfOtherSchemas(t *testing.T) {
	for content, want := range map[string]string{
		`{"schema":"acqnp.fit/4","x":["age"],"stacks":[{}]}`: "fit.json: found a fit by an older acqnp (acqnp.fit/4), expected acqnp.fit/6: fit again",
		`{"schema":"acqnp.fit/3","x":7,"stacks":{}}`:         "a fit by an older acqnp (acqnp.fit/3)",
		`{"schema":"acqnp.fit/99"}`:                          "found a fit by a newer acqnp (acqnp.fit/99), expected acqnp.fit/6: use that acqnp, or fit again",
		`{"schema":"acqnp.run/1"}`:                           `schema: found "acqnp.run/1", expected acqnp.fit/6`,
		`{"schema":"acqnp.fit/6","y":["price"]}`:             "stacks: found 0, of 1 column of y",
		`{"schema":"acqnp.fit/6","y":["price"],"x":[],"x_forms":[],"x_ranges":[],"x_missing":[],"order":[],"y_forms":[{}],"y_ranges":[{}],"log_y":[false],"stacks":[{}]}`: "stacks: found 1, of 1 column of y and 0 of x",
		`{"schema":`: "unexpected end of JSON input",
	} {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, file.Name), []byte(content), 0o600))
		must.Refuse(t, must.Err(file.Read(dir)), want)
	}
}
