package cli

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
)

// Flags read numbers as files do, and not as Go's literals: 010 is ten.
func TestFlagsReadPlainNumbers(t *testing.T) {
	var cmd cobra.Command
	whole, share, list := cmd.Flags().Int("n", 0, ""), cmd.Flags().Float64("share", 0, ""), cmd.Flags().Float64Slice("list", nil, "")
	plainNumbers(&cmd)
	if err := cmd.ParseFlags([]string{"--n=010", "--share=.5", "--list=007,1e-2"}); err != nil || *whole != 10 || *share != 0.5 || !slices.Equal(*list, []float64{7, 0.01}) {
		t.Errorf("%d, %v, %v, %v", *whole, *share, *list, err)
	}
	for _, flag := range []string{"--n=0x10", "--n=1_0", "--n=0b1", "--share=1_0", "--share=0x1p3", "--list=1,1_0", "--n=many"} {
		if cmd.ParseFlags([]string{flag}) == nil {
			t.Errorf("%s is read", flag)
		}
	}
}

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
