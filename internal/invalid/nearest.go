package invalid

import "strings"

// Nearest returns the name closest to what was typed, or "" if none is close.
func Nearest(typed string, names []string) string {
	best, least := "", max(2, len(typed)/3)+1
	for _, n := range names {
		if d := Distance(strings.ToLower(typed), n); d < least {
			best, least = n, d
		}
	}
	return best
}

// Distance returns Levenshtein's distance: the least number of bytes to insert, delete or replace.
// It compares the first 64 bytes.
func Distance(a, b string) int {
	const longest = 64
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
