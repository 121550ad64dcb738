package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/predict"
)

// TestReferencePagesOfKeysAndVariables compares two pages of docs/reference with what the program knows.
func TestReferencePagesOfKeysAndVariables(t *testing.T) {
	for name, want := range map[string]string{"configuration": keysPage(), "environment": variablesPage()} {
		path := "../../docs/reference/" + name + ".md"
		if os.Getenv(writePages) == "1" {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if found, err := os.ReadFile(path); err != nil || string(found) != want {
			t.Errorf("docs/reference/%s.md is not what the program knows (%v); make reference writes it", name, err)
		}
	}
}

// TestReferencePagesHaveTheValues compares the tables of docs/reference/predictions.md with the values of answers.
func TestReferencePagesHaveTheValues(t *testing.T) {
	const path = "../../docs/reference/predictions.md"
	values := slices.Concat(predict.GroupValues(predict.About{Recalls: true, Nested: true}), predict.Values)
	found, err := os.ReadFile(path)
	want := string(found)
	for name, table := range map[string]string{"predictions": valuesTable(values), "scores": valuesTable(predict.ScoreValues)} {
		begin := "<!-- values: " + name + " -->\n"
		before, rest, _ := strings.Cut(want, begin)
		_, after, marked := strings.Cut(rest, "<!-- end -->\n")
		if want = before + begin + table + "<!-- end -->\n" + after; !marked || err != nil {
			t.Fatalf("%s has no marked table of %s (%v)", path, name, err)
		}
	}
	if os.Getenv(writePages) == "1" {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(found) {
		t.Errorf("the tables of %s are not those of the program; make reference writes them", path)
	}
}

// valuesTable returns a table of values. The names of columns at parameters end with one of these.
func valuesTable(values []predict.Value) string {
	code := func(text string) string {
		if text == "" {
			return ""
		}
		return "`" + text + "`"
	}
	var b strings.Builder
	b.WriteString("| column | flag | over HTTP | meaning |\n| --- | --- | --- | --- |\n")
	for _, v := range values {
		column, flag := code(v.Name), ""
		if example := map[predict.Takes]string{predict.Levels: "0.9", predict.Outcomes: "500", predict.Range: "500", predict.Count: "1"}[v.Takes]; example != "" {
			column = code(v.Name+example) + ", …"
		}
		if v.Flag != "" {
			flag = code("--" + v.Flag)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", column, flag, code(v.Key), v.Doc)
	}
	return b.String()
}

const keysHead = `# Keys of a configuration
A configuration is a YAML file with the key "benchmark" and the sections below; see
[variants](variants.md). It needs "model.name" and "benchmark" or, for your own files,
"data.file"; every other key has a default. For the paper's benchmarks and models, defaults are the
paper's values. "--set train.steps=2000" sets a key for one command, and so does the environment
variable "ACQNP_TRAIN_STEPS".

"acqnp help configuration" prints this list; "make reference" writes this page.
`

// keysPage returns docs/reference/configuration.md.
func keysPage() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(keysHead, `"`, "`"))
	section := ""
	for _, k := range config.Keys() {
		if k.Section() != section {
			section = k.Section()
			fmt.Fprintf(&b, "\n## %s\n| key | meaning | type | values | default | used by |\n| --- | --- | --- | --- | --- | --- |\n", section)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, k.Help, k.Type, k.Values, k.Default, k.Users)
	}
	return b.String()
}

// variablesPage returns docs/reference/environment.md.
func variablesPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Environment variables\n%s\n\n| variable | meaning |\n| --- | --- |\n", precedence)
	for _, v := range variables {
		const key = "key of the configuration"
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.Name, strings.Replace(v.Help, key, "["+key+"](configuration.md)", 1))
	}
	b.WriteString("\n`acqnp help environment` prints this list; `make reference` writes this page.\n")
	return b.String()
}
