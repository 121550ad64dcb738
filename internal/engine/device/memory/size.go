package memory

import "fmt"

// Size formats a number of bytes with two or three digits: "22.9 GB".
func Size(bytes float64) string {
	for _, unit := range []struct {
		bytes float64
		name  string
	}{{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}} {
		if v := bytes / unit.bytes; v >= 1 {
			digits := 1
			if v >= 100 {
				digits = 0
			}
			return fmt.Sprintf("%.*f %s", digits, v, unit.name)
		}
	}
	return fmt.Sprintf("%.0f MB", bytes/1e6)
}
