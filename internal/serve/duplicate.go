package serve

import "bytes"

// mostKeys is how many keys of an object duplicate compares. No object of a valid request has more.
const mostKeys = 16

// duplicate returns the first key that an object of a JSON text has twice, or nil. encoding/json would
// merge the two values. Like encoding/json, duplicate ignores case. It does not unescape keys.
func duplicate(text []byte) []byte {
	var keys [][]byte // of all objects that are open at i, outermost first
	var first []int   // index in keys of each object's or array's first key
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			first = append(first, len(keys))
		case '}', ']':
			keys, first = keys[:first[len(first)-1]], first[:len(first)-1]
		case '"':
			begin := i + 1
			for i = begin; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if rest := bytes.TrimLeft(text[i+1:], " \t\r\n"); len(rest) == 0 || rest[0] != ':' {
				continue // a value
			}
			own := keys[first[len(first)-1]:]
			for _, k := range own[:min(len(own), mostKeys)] {
				if bytes.EqualFold(k, text[begin:i]) {
					return k
				}
			}
			keys = append(keys, text[begin:i])
		}
	}
	return nil
}
