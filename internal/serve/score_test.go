package serve_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Groups without a name are groups of their own, as those of different names are: the standard error is that over
// groups. Two groups of one name are one group.
func TestGroupsAreGroups(t *testing.T) {
	server, _ := start(t)
	type summary struct {
		LogDensity struct {
			Mean  float64
			Error float64 `json:"std_error"`
		} `json:"log_density"`
		PerGroup []struct{ Group string } `json:"per_group"`
	}
	scored := func(a, b string) summary {
		const points = `"targets": {"x": [[0], [0.1], [0.2]], "y": [[%s], [%[1]s], [%[1]s]]}`
		body := fmt.Sprintf(`{"groups": [{"name": %q, `+fmt.Sprintf(points, "0")+`}, {"name": %q, `+fmt.Sprintf(points, "5")+`}]}`, a, b)
		status, answer := post(t, server.URL+"/v1/score", body)
		var found struct{ Summary summary }
		if err := json.Unmarshal(answer, &found); status != 200 || err != nil {
			t.Fatalf("%d %s", status, answer)
		}
		return found.Summary
	}
	named, unnamed, same := scored("a", "0"), scored("", ""), scored("a", "a")
	if unnamed.LogDensity != named.LogDensity || len(unnamed.PerGroup) != 2 || unnamed.PerGroup[1].Group != "" {
		t.Errorf("without names %+v, want %+v", unnamed, named)
	}
	if same.LogDensity.Error >= named.LogDensity.Error || len(same.PerGroup) != 1 || same.PerGroup[0].Group != "a" {
		t.Errorf("of one name %+v, of two %+v", same, named)
	}
}
