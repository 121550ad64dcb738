package tabular

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetCells are the cells of a Parquet file. It holds one page of each column at a time.
type parquetCells struct {
	file   *parquet.File
	taken  []*parquetColumn
	groups []parquet.RowGroup // that are left
	left   int64              // rows of the current group
}

// A parquetColumn reads one column.
type parquetColumn struct {
	index  int // of the leaf
	text   func(dst []byte, v parquet.Value) []byte
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buffer [256]parquet.Value
	at, n  int
}

// openParquet opens a file. It reads a pipe into the memory first, up to the limit of pipes. raw is what r
// reads from.
func openParquet(raw, r io.Reader) (cells, error) {
	if file, ok := raw.(*os.File); ok {
		return newParquet(file, sizeOf(file))
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return newParquet(bytes.NewReader(content), int64(len(content)))
}

// newParquet reads a file of size bytes.
func newParquet(r io.ReaderAt, size int64) (cells, error) {
	var end [8]byte
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil || size < 12 {
		return nil, io.ErrUnexpectedEOF
	}
	if footer := int64(binary.LittleEndian.Uint32(end[:])); string(end[4:]) != "PAR1" || footer > size-12 {
		return nil, io.ErrUnexpectedEOF
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
	if err != nil {
		return nil, err
	}
	if err := checkUnpacked(r, size, f.Metadata().RowGroups); err != nil {
		return nil, err
	}
	return &parquetCells{file: f, groups: f.RowGroups()}, nil
}

func (c *parquetCells) columns() (names []string, refused map[string]string) {
	refused = map[string]string{}
	for _, column := range c.file.Root().Columns() {
		if text := parquetText(column); text != nil {
			names = append(names, column.Name())
			c.taken = append(c.taken, &parquetColumn{index: column.Index(), text: text})
		} else {
			refused[column.Name()] = parquetType(column)
		}
	}
	return names, refused
}

func (c *parquetCells) next() error {
	for ; c.left == 0; c.groups = c.groups[1:] {
		if len(c.groups) == 0 {
			return io.EOF
		}
		c.left = c.groups[0].NumRows()
		chunks := c.groups[0].ColumnChunks()
		for _, column := range c.taken {
			column.open(chunks[column.index])
		}
	}
	c.left--
	for _, column := range c.taken {
		if err := column.next(); err != nil {
			return err
		}
	}
	return nil
}

func (c *parquetCells) appendCell(dst []byte, column int) []byte {
	p := c.taken[column]
	if v := p.buffer[p.at]; !v.IsNull() {
		dst = p.text(dst, v)
	}
	return dst
}

// open starts a row group.
func (c *parquetColumn) open(chunk parquet.ColumnChunk) {
	if c.pages != nil {
		c.pages.Close()
	}
	c.pages, c.page, c.values, c.at, c.n = chunk.Pages(), nil, nil, 0, 0
}

// next moves to the next value of the row group. There must be one.
func (c *parquetColumn) next() error {
	c.at++
	for c.at >= c.n {
		n, err := 0, io.EOF
		if c.values != nil {
			n, err = c.values.ReadValues(c.buffer[:])
		}
		if c.at, c.n = 0, n; n > 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err := c.turn(); err == io.EOF {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return err
		}
	}
	return nil
}

// turn turns to the next page.
func (c *parquetColumn) turn() (err error) {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
	if c.page, err = c.pages.ReadPage(); err == nil {
		c.values = c.page.Values()
	}
	return err
}

// parquetType names the type of a column for messages.
func parquetType(c *parquet.Column) string {
	switch {
	case c.Repeated():
		return "list"
	case !c.Leaf():
		return "list or structure"
	}
	return strings.ToLower(c.Type().String())
}

// parquetText returns what appends a value of a column, nil if it has no cells.
func parquetText(c *parquet.Column) func(dst []byte, v parquet.Value) []byte {
	if !c.Leaf() || c.Repeated() {
		return nil
	}
	if logical := c.Type().LogicalType(); logical != nil {
		switch t := logical.Value.(type) {
		case *format.StringType, *format.EnumType:
			return func(dst []byte, v parquet.Value) []byte { return append(dst, v.ByteArray()...) }
		case *format.IntType:
			return integerText(c.Type().Kind(), t.IsSigned)
		case *format.DecimalType:
			return func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, v, int(t.Scale)) }
		case *format.DateType:
			return func(dst []byte, v parquet.Value) []byte { return appendDay(dst, int64(v.Int32())) }
		case *format.TimestampType:
			return timestampText(t)
		case nil:
		default:
			return nil
		}
	}
	switch c.Type().Kind() {
	case parquet.Boolean:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendBool(dst, v.Boolean()) }
	case parquet.Int32, parquet.Int64:
		return integerText(c.Type().Kind(), true)
	case parquet.Int96:
		return appendInt96
	case parquet.Float:
		return func(dst []byte, v parquet.Value) []byte { return appendFloat32(dst, v.Float()) }
	case parquet.Double:
		return func(dst []byte, v parquet.Value) []byte { return appendFloat(dst, v.Double()) }
	}
	return nil
}

// integerText returns what appends an integer.
func integerText(kind parquet.Kind, isSigned bool) func(dst []byte, v parquet.Value) []byte {
	switch {
	case isSigned && kind == parquet.Int32:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, int64(v.Int32()), 10) }
	case isSigned:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, v.Int64(), 10) }
	case kind == parquet.Int32:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendUint(dst, uint64(v.Uint32()), 10) }
	}
	return func(dst []byte, v parquet.Value) []byte { return strconv.AppendUint(dst, v.Uint64(), 10) }
}

// timestampText returns what appends a time.
func timestampText(t *format.TimestampType) func(dst []byte, v parquet.Value) []byte {
	from := time.UnixMicro
	switch t.Unit.Value.(type) {
	case *format.MilliSeconds:
		from = time.UnixMilli
	case *format.NanoSeconds:
		from = func(ns int64) time.Time { return time.Unix(0, ns) }
	}
	return func(dst []byte, v parquet.Value) []byte { return appendTime(dst, from(v.Int64()), t.IsAdjustedToUTC) }
}

// appendInt96 appends a time as Spark and Impala write it: nanoseconds and a Julian day.
func appendInt96(dst []byte, v parquet.Value) []byte {
	const unixDay = 2440588
	t := v.Int96()
	return appendTime(dst, time.Unix((int64(t[2])-unixDay)*secondsPerDay, int64(t[0])|int64(t[1])<<32), false)
}

// mostDecimals is the largest scale of a decimal of 256 bits.
const mostDecimals = 76

// appendDecimal appends a decimal with its point.
func appendDecimal(dst []byte, v parquet.Value, scale int) []byte {
	var n *big.Int
	switch v.Kind() {
	case parquet.Int32:
		n = big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		n = big.NewInt(v.Int64())
	default: // big-endian, in two's complement
		b := v.ByteArray()
		n = new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	if scale < 0 || scale > mostDecimals {
		panic("a decimal with " + strconv.Itoa(scale) + " digits after its point")
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return append(dst, new(big.Rat).SetFrac(n, unit).FloatString(scale)...)
}
