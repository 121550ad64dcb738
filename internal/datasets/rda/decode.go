package rda

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The type codes of the serialisation format, as far as data frames need them.
const (
	typeSymbol   = 1
	typePairlist = 2
	typeChar     = 9
	typeLogical  = 10
	typeInteger  = 13
	typeReal     = 14
	typeComplex  = 15
	typeString   = 16
	typeList     = 19
	typeRaw      = 24
	typeAltrep   = 238
	typeNil      = 254
	typeRef      = 255
)

const (
	maxDepth       = 64      // lists within lists; a data frame needs less than ten
	maxObjects     = 1 << 20 // 8 bytes of the file can become an object of about 160 bytes
	flagAttributes = 1 << 9
	flagTag        = 1 << 10
	missingInteger = math.MinInt32 // NA_integer_
)

// An object is an R value. Its kind says which fields are set.
type object struct {
	kind       int
	text       string            // symbol
	ints       []int32           // integer, logical
	reals      []float64         // real
	texts      []string          // string
	items      []*object         // list, pairlist
	tags       []string          // pairlist: the name of each item or ""
	attributes map[string]object // by name
}

var nothing = &object{kind: typeNil}

// A decoder reads big-endian XDR. It checks every length against the bytes that are left before it
// allocates.
type decoder struct {
	rest    []byte
	refs    []*object // symbols, to which later items refer by numbers from 1
	depth   int
	objects int
	values  int // how many values compact sequences may still make
}

// file reads the magic bytes, the header and the pairlist of all saved objects.
func (d *decoder) file() (*object, error) {
	magic := d.rest[:min(len(d.rest), 7)]
	var version int32
	switch {
	case bytes.Equal(magic, []byte("RDX2\nX\n")):
		version = 2
	case bytes.Equal(magic, []byte("RDX3\nX\n")):
		version = 3
	default:
		return nil, errors.New("no R data file in binary form")
	}
	d.rest = d.rest[7:]
	got, err := d.int32()
	if err == nil && got != version {
		return nil, fmt.Errorf("serialisation version %d in a file of version %d", got, version)
	}
	if err == nil {
		_, err = d.take(8) // the versions of the R that wrote the file and of the oldest R that can read it
	}
	if err == nil && version == 3 {
		var encoding []byte
		if encoding, err = d.text(); err == nil && len(encoding) > 64 {
			err = fmt.Errorf("an encoding's name of %d bytes", len(encoding))
		}
	}
	if err != nil {
		return nil, err
	}
	root, err := d.object()
	switch {
	case err != nil:
		return nil, err
	case root.kind != typePairlist && root.kind != typeNil:
		return nil, fmt.Errorf("an object of type %d instead of the list of objects", root.kind)
	case len(d.rest) > 0:
		return nil, fmt.Errorf("%d bytes after the last object", len(d.rest))
	}
	return root, nil
}

// take returns the next n bytes.
func (d *decoder) take(n int) ([]byte, error) {
	if n < 0 || n > len(d.rest) {
		return nil, fmt.Errorf("%d bytes left where %d should come", len(d.rest), n)
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b, nil
}

func (d *decoder) int32() (int32, error) {
	b, err := d.take(4)
	if err != nil {
		return 0, err
	}
	return int32(binary.BigEndian.Uint32(b)), nil
}

// length reads the length of a vector whose elements take at least size bytes each.
func (d *decoder) length(size int) (int, error) {
	n, err := d.int32()
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, fmt.Errorf("a vector of length %d", n)
	case int64(n)*int64(size) > int64(len(d.rest)):
		return 0, fmt.Errorf("a vector of length %d in the last %d bytes", n, len(d.rest))
	}
	return int(n), nil
}

// text reads a length and that many bytes. A length of −1 is NA, for which it returns nil.
func (d *decoder) text() ([]byte, error) {
	n, err := d.int32()
	if err != nil || n == -1 {
		return nil, err
	}
	return d.take(int(n))
}

// char reads one string: an element of a string vector or the name of a symbol.
func (d *decoder) char() (string, error) {
	flags, err := d.int32()
	if err != nil {
		return "", err
	}
	if flags&0xff != typeChar {
		return "", fmt.Errorf("an object of type %d where a string should come", flags&0xff)
	}
	b, err := d.text()
	return string(b), err
}

// object reads the next object and everything in it.
func (d *decoder) object() (*object, error) {
	if d.depth++; d.depth > maxDepth {
		return nil, fmt.Errorf("objects nested more than %d deep", maxDepth)
	}
	defer func() { d.depth-- }()
	if d.objects++; d.objects > maxObjects {
		return nil, fmt.Errorf("more than %d objects", maxObjects)
	}
	flags, err := d.int32()
	if err != nil {
		return nil, err
	}
	switch kind := int(flags & 0xff); kind {
	case typeNil:
		return nothing, nil
	case typeRef:
		return d.reference(flags)
	case typeSymbol:
		return d.symbol()
	case typePairlist:
		return d.pairlist(flags)
	case typeAltrep:
		return d.altrep()
	case typeLogical, typeInteger, typeReal, typeComplex, typeString, typeList, typeRaw:
		return d.vector(kind, flags)
	default:
		return nil, fmt.Errorf("an object of R's internal type %d", kind)
	}
}

// reference returns the symbol that a reference stands for.
func (d *decoder) reference(flags int32) (*object, error) {
	n := flags >> 8 & 0xffffff
	if n == 0 {
		var err error
		if n, err = d.int32(); err != nil {
			return nil, err
		}
	}
	if n < 1 || int(n) > len(d.refs) {
		return nil, fmt.Errorf("a reference to object %d of %d", n, len(d.refs))
	}
	return d.refs[n-1], nil
}

// symbol reads a symbol and remembers it for references.
func (d *decoder) symbol() (*object, error) {
	name, err := d.char()
	if err != nil {
		return nil, err
	}
	s := &object{kind: typeSymbol, text: name}
	d.refs = append(d.refs, s)
	return s, nil
}

// pairlist reads cells until an object of another type. A cell is [attributes] [tag] value rest,
// where the rest is an object, such as the next cell.
func (d *decoder) pairlist(flags int32) (*object, error) {
	list := &object{kind: typePairlist}
	for {
		tag := ""
		if flags&flagAttributes != 0 {
			if _, err := d.object(); err != nil {
				return nil, err
			}
		}
		if flags&flagTag != 0 {
			o, err := d.object()
			if err != nil {
				return nil, err
			}
			tag = o.text
		}
		value, err := d.object()
		if err != nil {
			return nil, err
		}
		list.items, list.tags = append(list.items, value), append(list.tags, tag)
		if len(d.rest) >= 4 {
			if next := int32(binary.BigEndian.Uint32(d.rest)); next&0xff == typePairlist {
				d.rest, flags = d.rest[4:], next
				continue
			}
		}
		rest, err := d.object()
		if err != nil {
			return nil, err
		}
		if rest.kind != typeNil { // a dotted pair
			list.items, list.tags = append(list.items, rest), append(list.tags, "")
		}
		return list, nil
	}
}

// vector reads the length, the elements and the attributes of a vector.
func (d *decoder) vector(kind int, flags int32) (*object, error) {
	v := &object{kind: kind}
	size := map[int]int{typeLogical: 4, typeInteger: 4, typeReal: 8, typeComplex: 16, typeString: 8, typeList: 4, typeRaw: 1}[kind]
	n, err := d.length(size)
	if err != nil {
		return nil, err
	}
	switch kind {
	case typeLogical, typeInteger:
		v.ints = make([]int32, n)
		for i := range v.ints {
			v.ints[i] = int32(binary.BigEndian.Uint32(d.rest[4*i:]))
		}
		d.rest = d.rest[4*n:]
	case typeReal:
		v.reals = make([]float64, n)
		for i := range v.reals {
			v.reals[i] = math.Float64frombits(binary.BigEndian.Uint64(d.rest[8*i:]))
		}
		d.rest = d.rest[8*n:]
	case typeString:
		for range n {
			text, err := d.char()
			if err != nil {
				return nil, err
			}
			v.texts = append(v.texts, text)
		}
	case typeList:
		for range n {
			item, err := d.object()
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, item)
		}
	default: // skip complex and raw columns
		d.rest = d.rest[size*n:]
	}
	if flags&flagAttributes != 0 {
		err = d.attach(v)
	}
	return v, err
}

// attach reads the pairlist of an object's attributes.
func (d *decoder) attach(v *object) error {
	list, err := d.object()
	if err != nil {
		return err
	}
	if list.kind != typePairlist && list.kind != typeNil {
		return fmt.Errorf("attributes of type %d", list.kind)
	}
	v.attributes = map[string]object{}
	for i, tag := range list.tags {
		v.attributes[tag] = *list.items[i]
	}
	return nil
}
