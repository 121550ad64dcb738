package progress

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable escapes what a terminal would act on or not show: control characters, bytes that are
// not UTF-8, and invisible characters, such as those that reverse the direction of writing. File
// names may hold any of them. Printable keeps the characters of keep as they are.
func Printable(s, keep string) string {
	plain := func(r rune) bool { return strconv.IsGraphic(r) || strings.ContainsRune(keep, r) }
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case plain(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}
