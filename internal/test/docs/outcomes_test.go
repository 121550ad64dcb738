package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestWinsAreBeyondTheirErrors judges the differences to the best rivals again, and compares the counts
// with those of the prose, of the README and of the page of results.
func TestWinsAreBeyondTheirErrors(t *testing.T) {
	const ownData = "docs/results/own-data.md"
	said := slices.Concat(blocks(t, "README.md"), blocks(t, "docs/results/index.md"))
	for _, anchor := range []string{"the-14-sets-added-last", "rivals-on-own-data"} {
		text, _, _ := strings.Cut(section(read(t, ownData), anchor), "\n### ")
		count := map[string]int{}
		for _, m := range regexp.MustCompile(`(\S+) \| (\S+) \| \S+ \| (win|tie|loss) \|`).FindAllStringSubmatch(text, -1) {
			difference, err := strconv.ParseFloat(strings.Replace(m[1], "−", "-", 1), 64)
			deviation, err2 := strconv.ParseFloat(m[2], 64)
			want := "tie"
			if difference > deviation {
				want = "win"
			} else if difference < -deviation {
				want = "loss"
			}
			if count[want]++; err != nil || err2 != nil || m[3] != want {
				t.Errorf("%s: %s, want %s", anchor, m[0], want)
			}
		}
		for outcome, pattern := range map[string]string{"win": `\b%d wins`, "tie": `\b%d ties`, "loss": `\b%d loss`} {
			number := regexp.MustCompile(fmt.Sprintf(pattern, count[outcome]))
			for _, b := range append(said, block{text: text, links: []string{ownData + "#" + anchor}}) {
				if slices.Contains(b.links, ownData+"#"+anchor) && !number.MatchString(b.text) {
					t.Errorf("%s: %q is not in %.200q", anchor, number, b.text)
				}
			}
		}
	}
}
