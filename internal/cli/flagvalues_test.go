package cli

import (
	"slices"
	"testing"
)

func TestNumberList(t *testing.T) {
	for text, want := range map[string][]int{
		"0": {0}, "0..3": {0, 1, 2, 3}, "4..4": {4}, "7,0, 2..3": {7, 0, 2, 3}, "9223372036854775807": {9223372036854775807},
	} {
		l := numberList{numbers: []int{1, 2}}
		if err := l.Set(text); err != nil || !slices.Equal(l.numbers, want) {
			t.Errorf("%q: %v, %v", text, l.numbers, err)
		}
	}
	for _, text := range []string{"", ",", "1,", "-1", "a", "3..1", "1..", "..2", "0,0", "0..2,1", "1.5", "0...2", "0-2",
		"9223372036854775807..9223372036854775808", "0..9223372036854775807", "0..1048576"} {
		var l numberList
		if err := l.Set(text); err == nil {
			t.Errorf("%q: %v", text, l.numbers)
		}
	}
	var l numberList
	for _, text := range []string{"3..4", "0"} {
		if err := l.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if l.String() != "3,4,0" || l.Set("3") == nil {
		t.Errorf("added to %v", &l)
	}
}
