package tabular

import (
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// parquetWriter writes rows in row groups.
type parquetWriter struct {
	columns []Column
	to      *parquet.GenericWriter[any]
	row     parquet.Row
}

// cellsAtOnce bounds the cells of a row group, which is held in memory.
const cellsAtOnce = 1 << 20

func newParquetWriter(w io.Writer, columns []Column) (Writer, error) {
	number := parquet.Leaf(parquet.DoubleType)
	nodes := map[Kind]parquet.Node{Text: parquet.String(), Integer: parquet.Optional(parquet.Int(64)), Number: parquet.Optional(number),
		Numbers: parquet.List(number), Pairs: parquet.List(parquet.List(number))}
	group := ordered{Group: parquet.Group{}}
	for _, c := range columns {
		group.Group[c.Name] = nodes[c.Kind]
		group.names = append(group.names, c.Name)
	}
	to := parquet.NewGenericWriter[any](w, parquet.NewSchema("table", group), parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(max(1, int64(cellsAtOnce/max(1, len(columns))))))
	return &parquetWriter{columns: columns, to: to}, nil
}

// ordered is a group of columns in their order. That of parquet.Group is alphabetical.
type ordered struct {
	parquet.Group
	names []string
}

func (o ordered) Fields() []parquet.Field {
	place := make(map[string]int, len(o.names))
	for i, name := range o.names {
		place[name] = i
	}
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return place[a.Name()] - place[b.Name()] })
	return fields
}

func (p *parquetWriter) Write(row []string) error {
	p.row = p.row[:0]
	for i, cell := range row {
		p.row = appendValues(p.row, p.columns[i].Kind, cell, i)
	}
	_, err := p.to.WriteRows([]parquet.Row{p.row})
	return err
}

func (p *parquetWriter) Close() error { return p.to.Close() }

// appendValues appends the values of a cell of column i, with the levels that say where its lists start.
func appendValues(row parquet.Row, kind Kind, cell string, i int) parquet.Row {
	null := func() parquet.Row { return append(row, parquet.NullValue().Level(0, 0, i)) }
	switch kind {
	case Text:
		return append(row, parquet.ByteArrayValue([]byte(cell)).Level(0, 0, i))
	case Integer:
		v, err := strconv.ParseInt(cell, 10, 64)
		if err != nil {
			return null()
		}
		return append(row, parquet.Int64Value(v).Level(0, 1, i))
	case Number:
		v, ok := number(cell)
		if !ok {
			return null()
		}
		return append(row, parquet.DoubleValue(v).Level(0, 1, i))
	}
	if cell == "" {
		return null()
	}
	for k, part := range parts(cell) {
		repeats := min(k, 1) // 0 starts a row's list, 1 goes on with it
		if kind == Numbers {
			v, _ := number(part)
			row = append(row, parquet.DoubleValue(v).Level(repeats, 1, i))
			continue
		}
		low, high := pair(part)
		row = append(row, parquet.DoubleValue(low).Level(repeats, 2, i), parquet.DoubleValue(high).Level(2, 2, i))
	}
	return row
}
