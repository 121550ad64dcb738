package safetensors

import (
	"bytes"
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

// header is the parsed JSON header. It is parsed token by token, because decoding into a map would
// accept duplicate names.
type header struct {
	dec      *json.Decoder
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
	h := &header{dec: json.NewDecoder(bytes.NewReader(raw)), metadata: map[string]string{}}
	h.dec.UseNumber()
	seen := map[string]bool{}
	if err := h.object("header", func(name string) error {
		if seen[name] {
			return &invalid.Input{Key: name, Found: "the name twice in the header", Expected: "distinct names"}
		}
		seen[name] = true
		if name == metadataKey {
			return h.readMetadata()
		}
		return h.readEntry(name)
	}); err != nil {
		return nil, err
	}
	if rest := bytes.Trim(raw[h.dec.InputOffset():], " "); len(rest) > 0 {
		return nil, &invalid.Input{Key: "header", Found: "bytes after its closing brace", Expected: "only spaces"}
	}
	return h, nil
}

// object reads a JSON object. It calls member for each name; the decoder is then before the value.
func (h *header) object(where string, member func(name string) error) error {
	if err := h.delim(where, '{'); err != nil {
		return err
	}
	for h.dec.More() {
		name, err := h.token(where)
		if err != nil {
			return err
		}
		key, ok := name.(string)
		if !ok {
			return unexpected(where, name, "a name")
		}
		if err := member(key); err != nil {
			return err
		}
	}
	return h.delim(where, '}')
}

// readMetadata reads the map of strings.
func (h *header) readMetadata() error {
	return h.object(metadataKey, func(key string) error {
		v, err := h.token(metadataKey)
		if err != nil {
			return err
		}
		s, ok := v.(string)
		if !ok {
			return unexpected(metadataKey+"."+key, v, "a string")
		}
		if _, twice := h.metadata[key]; twice {
			return &invalid.Input{Key: metadataKey + "." + key, Found: "the key twice", Expected: "distinct keys"}
		}
		h.metadata[key] = s
		return nil
	})
}

// readEntry reads type, shape and place of one tensor.
func (h *header) readEntry(name string) error {
	e := entry{Spec: Spec{Name: name}}
	var offsets []int
	seen := map[string]bool{}
	if err := h.object(name, func(key string) (err error) {
		if seen[key] {
			return &invalid.Input{Key: name, Found: key + " twice", Expected: "each key once"}
		}
		seen[key] = true
		switch key {
		case "dtype":
			e.DType, err = h.dtype(name)
		case "shape":
			e.Shape, err = h.ints(name)
		case "data_offsets":
			offsets, err = h.ints(name)
		default:
			err = &invalid.Input{Key: name, Found: "the key " + strconv.Quote(key), Expected: "dtype, shape and data_offsets"}
		}
		return err
	}); err != nil {
		return err
	}
	if len(seen) != 3 {
		return &invalid.Input{Key: name, Found: "an incomplete entry", Expected: "dtype, shape and data_offsets"}
	}
	if len(offsets) != 2 {
		return &invalid.Input{Key: name, Found: fmt.Sprintf("%d data_offsets", len(offsets)), Expected: "2"}
	}
	e.begin, e.end = int64(offsets[0]), int64(offsets[1])
	h.entries = append(h.entries, e)
	return nil
}

func (h *header) dtype(name string) (DType, error) {
	v, err := h.token(name)
	if err != nil {
		return "", err
	}
	s, ok := v.(string)
	if !ok || DType(s).Size() == 0 {
		return "", unexpected(name, v, "one of the supported types F32, F64, I32, I64")
	}
	return DType(s), nil
}

// ints reads a list of non-negative integers.
func (h *header) ints(name string) ([]int, error) {
	if err := h.delim(name, '['); err != nil {
		return nil, err
	}
	list := []int{}
	for h.dec.More() {
		v, err := h.token(name)
		if err != nil {
			return nil, err
		}
		number, _ := v.(json.Number)
		n, err := strconv.ParseUint(number.String(), 10, strconv.IntSize-1)
		if err != nil {
			return nil, unexpected(name, v, "a size or offset")
		}
		list = append(list, int(n))
	}
	return list, h.delim(name, ']')
}

func (h *header) token(where string) (json.Token, error) {
	t, err := h.dec.Token()
	if err != nil {
		return nil, &invalid.Input{Key: where, Found: "broken JSON (" + err.Error() + ")", Expected: "a safetensors header"}
	}
	return t, nil
}

func (h *header) delim(where string, want json.Delim) error {
	t, err := h.token(where)
	if err == nil && t != want {
		err = unexpected(where, t, want.String())
	}
	return err
}

// unexpected returns an error that shows a JSON token. It shortens the token, which may be as long
// as the file.
func unexpected(where string, t json.Token, want string) error {
	found := fmt.Sprint(t)
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
		if a.begin != b.begin {
			return int(min(max(a.begin-b.begin, -1), 1))
		}
		return int(min(max(a.end-b.end, -1), 1))
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
