package rda

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// The type codes of the serialisation format, as far as data frames of numbers need them.
const (
	typeSymbol   = 1
	typePairlist = 2
	typeChar     = 9
	typeLogical  = 10
	typeInteger  = 13
	typeReal     = 14
	typeString   = 16
	typeList     = 19
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
	reals      []float64         // real, integer and logical, whose NA is NaN
	texts      []string          // string
	items      []*object         // list, pairlist
	tags       []string          // pairlist: the name of each item or ""
	attributes map[string]object // by name
}

// A decoder reads big-endian XDR. It checks every length against the bytes that are left before it
// allocates. Its methods panic with a fault at what they cannot read.
type decoder struct {
	rest    []byte
	refs    []*object // symbols, to which later items refer by numbers from 1
	depth   int
	objects int
}

// A fault says what is wrong with a file.
type fault string

func fail(format string, values ...any) { panic(fault(fmt.Sprintf(format, values...))) }

// file reads the magic bytes, the header and the pairlist of all saved objects.
func (d *decoder) file() (root *object, wrong string) {
	defer func() {
		if p := recover(); p != nil {
			wrong = string(p.(fault))
		}
	}()
	magic := string(d.rest[:min(len(d.rest), 7)])
	if magic != "RDX2\nX\n" && magic != "RDX3\nX\n" {
		fail("no R data file in binary form")
	}
	d.take(len(magic))
	version := d.int32()
	if version != int32(magic[3]-'0') {
		fail("serialisation version %d in a file of version %c", version, magic[3])
	}
	d.take(8) // the versions of the R that wrote the file and of the oldest R that can read it
	if version == 3 {
		d.text() // the name of the encoding
	}
	root = d.object()
	if root.kind != typePairlist && root.kind != typeNil {
		fail("an object of type %d instead of the list of objects", root.kind)
	}
	if len(d.rest) > 0 {
		fail("%d bytes after the last object", len(d.rest))
	}
	return root, ""
}

// take returns the next n bytes.
func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.rest) {
		fail("%d bytes left where %d should come", len(d.rest), n)
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) int32() int32 { return int32(binary.BigEndian.Uint32(d.take(4))) }

// length reads the length of a vector whose elements take at least size bytes each.
func (d *decoder) length(size int) int {
	n := int(d.int32())
	if n < 0 {
		fail("a vector of length %d", n)
	}
	if n*size > len(d.rest) {
		fail("a vector of length %d in the last %d bytes", n, len(d.rest))
	}
	return n
}

// text reads a length and that many bytes. A length of −1 is NA, for which it returns "".
func (d *decoder) text() string {
	n := d.int32()
	if n == -1 {
		return ""
	}
	return string(d.take(int(n)))
}

// char reads one string: an element of a string vector or the name of a symbol.
func (d *decoder) char() string {
	if flags := d.int32(); flags&0xff != typeChar {
		fail("an object of type %d where a string should come", flags&0xff)
	}
	return d.text()
}

// object reads the next object and everything in it.
func (d *decoder) object() *object {
	if d.depth++; d.depth > maxDepth {
		fail("objects nested more than %d deep", maxDepth)
	}
	defer func() { d.depth-- }()
	if d.objects++; d.objects > maxObjects {
		fail("more than %d objects", maxObjects)
	}
	flags := d.int32()
	switch kind := int(flags & 0xff); kind {
	case typeNil:
		return &object{kind: typeNil}
	case typeRef:
		return d.reference(flags)
	case typeSymbol:
		s := &object{kind: typeSymbol, text: d.char()}
		d.refs = append(d.refs, s)
		return s
	case typePairlist:
		return d.pairlist(flags)
	default:
		return d.vector(kind, flags)
	}
}

// reference returns the symbol that a reference stands for.
func (d *decoder) reference(flags int32) *object {
	n := flags >> 8 & 0xffffff
	if n == 0 {
		n = d.int32()
	}
	if n < 1 || int(n) > len(d.refs) {
		fail("a reference to object %d of %d", n, len(d.refs))
	}
	return d.refs[n-1]
}

// pairlist reads cells up to the nil after the last. A cell is [attributes] [tag] value.
func (d *decoder) pairlist(flags int32) *object {
	list := &object{kind: typePairlist}
	for flags&0xff == typePairlist {
		tag := ""
		if flags&flagAttributes != 0 {
			d.object()
		}
		if flags&flagTag != 0 {
			tag = d.object().text
		}
		list.items, list.tags = append(list.items, d.object()), append(list.tags, tag)
		flags = d.int32()
	}
	if flags&0xff != typeNil {
		fail("an object of type %d at the end of a list", flags&0xff)
	}
	return list
}

// vector reads the length, the elements and the attributes of a vector.
func (d *decoder) vector(kind int, flags int32) *object {
	v := &object{kind: kind}
	switch kind {
	case typeLogical, typeInteger:
		for range d.length(4) {
			x := d.int32()
			v.reals = append(v.reals, float64(x))
			if x == missingInteger {
				v.reals[len(v.reals)-1] = math.NaN()
			}
		}
	case typeReal:
		for range d.length(8) {
			v.reals = append(v.reals, math.Float64frombits(binary.BigEndian.Uint64(d.take(8))))
		}
	case typeString:
		for range d.length(8) {
			v.texts = append(v.texts, d.char())
		}
	case typeList:
		for range d.length(4) {
			v.items = append(v.items, d.object())
		}
	default:
		fail("an object of R's internal type %d", kind)
	}
	if flags&flagAttributes != 0 {
		v.attributes = d.attributes()
	}
	return v
}

// attributes reads the pairlist of an object's attributes.
func (d *decoder) attributes() map[string]object {
	list := d.object()
	if list.kind != typePairlist && list.kind != typeNil {
		fail("attributes of type %d", list.kind)
	}
	all := map[string]object{}
	for i, tag := range list.tags {
		all[tag] = *list.items[i]
	}
	return all
}

// frames returns the data frames among the saved objects, and what is wrong with one.
func frames(root *object) (all Frames, wrong string) {
	all = Frames{}
	for i, o := range root.items {
		if o.kind != typeList || !slices.Contains(o.attributes["class"].texts, "data.frame") {
			continue
		}
		name, names, rows := root.tags[i], o.attributes["names"].texts, -1
		if len(names) != len(o.items) {
			return nil, fmt.Sprintf("%s with %d columns and %d names", name, len(o.items), len(names))
		}
		all[name] = map[string][]float64{}
		for k, column := range o.items {
			values := column.numbers()
			if values == nil {
				continue
			}
			if rows >= 0 && len(values) != rows {
				return nil, fmt.Sprintf("%s with columns of %d and of %d rows", name, rows, len(values))
			}
			rows, all[name][names[k]] = len(values), values
		}
	}
	return all, ""
}

// numbers returns the values of a column, or nil for logical values, text, factors and dates.
func (o *object) numbers() []float64 {
	if len(o.attributes["class"].texts) > 0 || o.kind == typeLogical {
		return nil
	}
	return o.reals
}
