package serve_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Functions without a name are groups of their own, as those of different names are: the standard error is that over
// groups. Two functions of one name are one group.
func TestFunctionsAreGroups(t *testing.T) {
	server, _ := start(t)
	type summary struct {
		LogDensity struct {
			Mean  float64
			Error float64 `json:"std_error"`
		} `json:"log_density"`
		PerFunction []struct{ Function string } `json:"per_function"`
	}
	scored := func(a, b string) summary {
		const points = `"targets": {"x": [[0], [0.1], [0.2]], "y": [[%s], [%[1]s], [%[1]s]]}`
		body := fmt.Sprintf(`{"functions": [{"name": %q, `+fmt.Sprintf(points, "0")+`}, {"name": %q, `+fmt.Sprintf(points, "5")+`}]}`, a, b)
		status, answer := post(t, server.URL+"/v1/score", body)
		var found struct{ Summary summary }
		if err := json.Unmarshal(answer, &found); status != 200 || err != nil {
			t.Fatalf("%d %s", status, answer)
		}
		return found.Summary
	}
	named, unnamed, same := scored("a", "0"), scored("", ""), scored("a", "a")
	if unnamed.LogDensity != named.LogDensity || len(unnamed.PerFunction) != 2 || unnamed.PerFunction[1].Function != "" {
		t.Errorf("without names %+v, want %+v", unnamed, named)
	}
	if same.LogDensity.Error >= named.LogDensity.Error || len(same.PerFunction) != 1 || same.PerFunction[0].Function != "a" {
		t.Errorf("of one name %+v, of two %+v", same, named)
	}
}
