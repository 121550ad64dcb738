package own_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
)

// With data.train_fraction 1 every point is for training or validation, and an evaluation takes the
// validation's points, or the training's if there is no validation.
func TestAllDataForTraining(t *testing.T) {
	for _, split := range []string{"group", "point"} {
		for _, every := range []int{0, 10} {
			e := validated(t, split, append(alike(12, 20), 1)...)
			e.Data.TrainFraction, e.Train.ValidateEvery = 1, every
			s := datatest.Open(t, e, "")
			want := map[bool]string{true: "valid", false: "train"}[every > 0]
			if got := s.EvaluatedPart; got != want {
				t.Errorf("by %s: an evaluation takes the part %q, want %q", split, got, want)
			}
			count := map[string]int{}
			for _, row := range splitRows(t, e) {
				count[row[len(row)-1]]++
			}
			if count["test"] > 0 || count["train"] == 0 || (count["valid"] > 0) != (every > 0) {
				t.Errorf("by %s, with validations every %d steps: parts %v", split, every, count)
			}
			trained, evaluated := marks{}, marks{}
			for step := range 300 {
				trained.add(t, datatest.Made(t, s.Train, step), 0)
			}
			for i := range s.Eval.Count {
				b := datatest.Made(t, s.Eval, i)
				from := 0
				if split == "point" {
					from = b.Context
				}
				evaluated.add(t, b, from)
			}
			for p := range evaluated {
				if trained[p] != (every == 0) {
					t.Errorf("by %s, with validations every %d steps: point %v of the evaluation is in training: %v", split, every, p, trained[p])
				}
			}
		}
	}
	if got := datatest.Open(t, validated(t, "group", alike(9, 9)...), "").EvaluatedPart; got != "" {
		t.Errorf("an evaluation on the test takes the part %q", got)
	}
}
