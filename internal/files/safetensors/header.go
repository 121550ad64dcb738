package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/acqnp/acqnp/internal/invalid"
)

// entry is a tensor in the header. Its data are the bytes from begin to end, counted from the end
// of the header.
type entry struct {
	Spec
	begin, end int64
}

// header is the parsed JSON header.
type header struct {
	metadata map[string]string
	entries  []entry
}

// parseHeader parses the header's JSON. Errors are *invalid.Input without a file name.
func parseHeader(raw []byte) (*header, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, &invalid.Input{Key: "header", Found: "no opening brace", Expected: "a JSON object"}
	}
	if !utf8.Valid(raw) {
		return nil, &invalid.Input{Key: "header", Found: "bytes that are not UTF-8", Expected: "a JSON object"}
	}
	h := &header{metadata: map[string]string{}}
	all, err := members("header", raw)
	for _, m := range all {
		if err != nil {
			break
		}
		if m.name == metadataKey {
			err = h.readMetadata(m.value)
		} else {
			err = h.readEntry(m.name, m.value)
		}
	}
	return h, err
}

// A member is a name in a JSON object, and its value.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a JSON object in their order. Decoding into a map would accept a name twice.
func members(where string, raw []byte) (all []member, err error) {
	broken := func(err error) error {
		return &invalid.Input{Key: where, Found: "broken JSON (" + err.Error() + ")", Expected: "a safetensors header"}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, unexpected(where, raw, "a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, broken(err)
		}
		m := member{name: t.(string)} // names are strings, or the decoder returns an error
		if err := d.Decode(&m.value); err != nil {
			return nil, broken(err)
		}
		if seen[m.name] {
			return nil, &invalid.Input{Key: where, Found: m.name + " twice", Expected: "distinct names"}
		}
		seen[m.name] = true
		all = append(all, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, broken(err)
	}
	if rest := bytes.Trim(raw[d.InputOffset():], " "); len(rest) > 0 {
		return nil, &invalid.Input{Key: where, Found: "bytes after its closing brace", Expected: "only spaces"}
	}
	return all, nil
}

// readMetadata reads the map of strings.
func (h *header) readMetadata(raw []byte) error {
	all, err := members(metadataKey, raw)
	for _, m := range all {
		var s *string
		if json.Unmarshal(m.value, &s) != nil || s == nil {
			return unexpected(metadataKey+"."+m.name, m.value, "a string")
		}
		h.metadata[m.name] = *s
	}
	return err
}

// readEntry reads type, shape and place of one tensor.
func (h *header) readEntry(name string, raw []byte) error {
	all, err := members(name, raw)
	if err != nil {
		return err
	}
	e := entry{Spec: Spec{Name: name}}
	var offsets []int
	for _, m := range all {
		switch m.name {
		case "dtype":
			if json.Unmarshal(m.value, &e.DType) != nil || e.DType.Size() == 0 {
				err = unexpected(name, m.value, "one of the supported types F32, F64, I32, I64")
			}
		case "shape":
			e.Shape, err = ints(name, m.value)
		case "data_offsets":
			offsets, err = ints(name, m.value)
		default:
			err = &invalid.Input{Key: name, Found: "the key " + strconv.Quote(m.name), Expected: "dtype, shape and data_offsets"}
		}
		if err != nil {
			return err
		}
	}
	if len(all) != 3 {
		return &invalid.Input{Key: name, Found: "an incomplete entry", Expected: "dtype, shape and data_offsets"}
	}
	if len(offsets) != 2 {
		return &invalid.Input{Key: name, Found: fmt.Sprintf("%d data_offsets", len(offsets)), Expected: "2"}
	}
	e.begin, e.end = int64(offsets[0]), int64(offsets[1])
	h.entries = append(h.entries, e)
	return nil
}

// ints reads a list of non-negative integers.
func ints(name string, raw []byte) ([]int, error) {
	var numbers []json.RawMessage
	if json.Unmarshal(raw, &numbers) != nil || numbers == nil {
		return nil, unexpected(name, raw, "a list")
	}
	list := make([]int, len(numbers))
	for i, number := range numbers {
		n, err := strconv.ParseUint(string(number), 10, strconv.IntSize-1)
		if err != nil {
			return nil, unexpected(name, number, "a size or offset")
		}
		list[i] = int(n)
	}
	return list, nil
}

// unexpected returns an error that shows a JSON value. It shortens the value, which may be as long
// as the file.
func unexpected(where string, value []byte, want string) error {
	found := string(value)
	if len(found) > 40 {
		found = found[:40] + "…"
	}
	return &invalid.Input{Key: where, Found: strconv.Quote(found), Expected: want}
}

// checkLayout checks that every entry is as long as its shape says and that the entries cover the
// data without gap or overlap.
func (h *header) checkLayout(dataSize int64) error {
	for _, e := range h.entries {
		size, ok := byteSize(e.DType, e.Shape)
		switch {
		case !ok:
			return &invalid.Input{Key: e.Name, Found: fmt.Sprintf("shape %v", e.Shape), Expected: "a shape that fits into memory"}
		case e.begin > e.end || e.end-e.begin != size:
			return &invalid.Input{Key: e.Name, Found: fmt.Sprintf("data_offsets [%d,%d]", e.begin, e.end),
				Expected: fmt.Sprintf("%d bytes for %s %v", size, e.DType, e.Shape)}
		case e.end > dataSize:
			return &invalid.Input{Key: e.Name, Found: fmt.Sprintf("data up to byte %d of %d", e.end, dataSize),
				Expected: "a complete file"}
		}
	}
	order := slices.Clone(h.entries)
	slices.SortStableFunc(order, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	var at int64
	for _, e := range order {
		if e.begin != at {
			return &invalid.Input{Key: e.Name, Found: fmt.Sprintf("data from byte %d", e.begin),
				Expected: fmt.Sprintf("data from byte %d, where the tensor before it ends", at)}
		}
		at = e.end
	}
	if at != dataSize {
		return &invalid.Input{Key: "data", Found: fmt.Sprintf("%d bytes that belong to no tensor", dataSize-at), Expected: "none"}
	}
	return nil
}
