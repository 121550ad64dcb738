package invalid

import "fmt"

// Plural returns a number with its noun: "1 batch", "3 batches".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
