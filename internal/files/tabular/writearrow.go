package tabular

import (
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrowTypes are the types of the kinds of columns.
var arrowTypes = map[Kind]arrow.DataType{Text: arrow.BinaryTypes.String, Integer: arrow.PrimitiveTypes.Int64, Number: arrow.PrimitiveTypes.Float64,
	Numbers: arrow.ListOfNonNullable(arrow.PrimitiveTypes.Float64), Pairs: arrow.ListOfNonNullable(arrow.ListOfNonNullable(arrow.PrimitiveTypes.Float64))}

// arrowWriter writes rows as record batches.
type arrowWriter struct {
	columns []Column
	builder *array.RecordBuilder
	to      interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	rows, most int // of the batch
}

func newArrowWriter(w io.Writer, format string, columns []Column) (*arrowWriter, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowTypes[c.Kind], Nullable: c.Kind == Number || c.Kind == Integer}
	}
	schema := arrow.NewSchema(fields, nil)
	a := &arrowWriter{columns: columns, builder: array.NewRecordBuilder(memory.NewGoAllocator(), schema), most: rowsAtOnce(len(columns), 1<<16)}
	if format == Arrows {
		a.to = ipc.NewWriter(w, ipc.WithSchema(schema))
		return a, nil
	}
	file, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	a.to = file
	return a, err
}

func (a *arrowWriter) Write(row []string) error {
	for i, cell := range row {
		appendTyped(a.builder.Field(i), cell)
	}
	if a.rows++; a.rows < a.most {
		return nil
	}
	return a.flush()
}

// flush writes a batch.
func (a *arrowWriter) flush() error {
	a.rows = 0
	batch := a.builder.NewRecordBatch()
	defer batch.Release()
	return a.to.Write(batch)
}

func (a *arrowWriter) Close() error {
	if a.rows > 0 {
		if err := a.flush(); err != nil {
			return err
		}
	}
	return a.to.Close()
}

// appendTyped appends the value of a cell.
func appendTyped(b array.Builder, cell string) {
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(cell)
	case *array.Int64Builder:
		if v, err := strconv.ParseInt(cell, 10, 64); err == nil {
			b.Append(v)
		} else {
			b.AppendNull()
		}
	case *array.Float64Builder:
		if v, ok := number(cell); ok {
			b.Append(v)
		} else {
			b.AppendNull()
		}
	case *array.ListBuilder:
		b.Append(true)
		for _, part := range parts(cell) {
			if pairs, ok := b.ValueBuilder().(*array.ListBuilder); ok {
				low, high := pair(part)
				pairs.Append(true)
				pairs.ValueBuilder().(*array.Float64Builder).AppendValues([]float64{low, high}, nil)
			} else {
				appendTyped(b.ValueBuilder(), part)
			}
		}
	}
}
