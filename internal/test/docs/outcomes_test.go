package docs

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
)

// TestWinsAreBeyondTheirErrors judges the differences to the best baselines again, and compares the counts
// with those of the prose, of the README and of the page of results.
func TestWinsAreBeyondTheirErrors(t *testing.T) {
	const ownData = "docs/results/own-data.md"
	said := slices.Concat(blocks(t, "README.md"), blocks(t, "docs/results/index.md"))
	for name, anchor := range map[string]string{"last-sets": "the-14-sets-added-last", "baselines": "baselines-on-own-data"} {
		count := map[string]int{}
		for _, r := range rows(t, name+"-differences", nil) {
			want := "tie"
			if difference, deviation := r.number("difference"), r.number("unpaired error"); difference > deviation {
				want = "win"
			} else if difference < -deviation {
				want = "loss"
			}
			if count[want]++; r.cells["outcome"] != want {
				t.Errorf("%s: %v, want %s", name, r.cells, want)
			}
		}
		link := ownData + "#" + anchor
		text := block{text: section(read(t, ownData), anchor), links: []string{link}}
		for outcome, pattern := range map[string]string{"win": `\b%d wins`, "tie": `\b%d ties`, "loss": `\b%d loss`} {
			number := regexp.MustCompile(fmt.Sprintf(pattern, count[outcome]))
			for _, b := range append(said, text) {
				if slices.Contains(b.links, link) && !number.MatchString(b.text) {
					t.Errorf("%s: %q is not in %.200q", anchor, number, b.text)
				}
			}
		}
	}
}
