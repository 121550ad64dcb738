package datatest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// SalesForms are the endings of the forms in which WriteSales writes.
var SalesForms = []string{".csv", ".csv.gz", ".csv.zst", ".jsonl", ".jsonl.gz", ".arrow", ".arrows", ".parquet"}

// A sale is a row of WriteSales. It has a column of every type that rows can have.
type sale struct {
	Product string    `json:"product" parquet:"product,dict"`
	Age     *float64  `json:"age" parquet:"age,optional"` // one of 17 is missing
	Kind    string    `json:"kind" parquet:"kind,enum"`
	Price   float64   `json:"price" parquet:"price"`
	Ratio   float32   `json:"ratio" parquet:"ratio"`
	Count   int64     `json:"count" parquet:"count"`
	Small   uint8     `json:"small" parquet:"small"`
	Fresh   bool      `json:"fresh" parquet:"fresh"`
	Sold    day       `json:"sold" parquet:"sold,date"`
	At      time.Time `json:"at" parquet:"at,timestamp(microsecond)"`
	Cents   int64     `json:"-" parquet:"cents,decimal(2:12)"`
	Tags    []string  `json:"tags" parquet:"tags,list"` // no form but CSV's text takes it
}

// A day is a number of days since 1970-01-01.
type day int32

func (d day) String() string {
	return time.Unix(int64(d)*24*60*60, 0).UTC().Format("2006-01-02")
}

func (d day) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, d.String()), nil }

// saleOf returns row i: 6 prices of a product, which fall with age.
func saleOf(i int) sale {
	p, k := i/6, i%6
	age := 0.5 + float64((p*5+k*3)%8)/2
	s := sale{Product: "p" + strconv.Itoa(p), Age: &age, Kind: []string{"new", "used"}[(p+k)%2], Count: int64(i) << 33, Small: uint8(i), Fresh: i%3 == 0,
		Price: (300 + 40*math.Sin(float64(7*p))) * math.Exp(-0.15*age) * (1 + 0.02*math.Sin(float64(31*p+17*k))), Ratio: float32(k) / 10,
		Sold: day(19000 + 7*i%400), At: time.Unix(1_700_000_000+int64(i)*3601, 250_000_000).UTC(), Cents: int64(100*i - 205), Tags: []string{s6(k)}}
	if i%17 == 5 {
		s.Age = nil
	}
	return s
}

func s6(k int) string { return string(rune('a' + k)) }

// WriteSales writes n rows in the form of an ending. All forms have the same cells.
func WriteSales(w io.Writer, ending string, n int) error {
	switch ending {
	case ".csv.gz", ".jsonl.gz":
		z := gzip.NewWriter(w)
		defer z.Close()
		return WriteSales(z, ending[:len(ending)-3], n)
	case ".csv.zst":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		defer z.Close()
		return WriteSales(z, ".csv", n)
	case ".csv":
		return salesCSV(w, n)
	case ".jsonl":
		return salesJSON(w, n)
	case ".parquet":
		return salesParquet(w, n)
	}
	return salesArrow(w, ending, n)
}

func salesCSV(w io.Writer, n int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "product,age,kind,price,ratio,count,small,fresh,sold,at,cents,tags")
	for i := range n {
		s := saleOf(i)
		age := ""
		if s.Age != nil {
			age = number(*s.Age)
		}
		fmt.Fprintf(b, "%s,%s,%s,%s,%v,%d,%d,%t,%v,%s,%s,%s\n", s.Product, age, s.Kind, number(s.Price), s.Ratio, s.Count, s.Small, s.Fresh, s.Sold,
			s.At.Format(time.RFC3339Nano), cents(s), s.Tags[0])
	}
	return b.Flush()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func cents(s sale) string { return fmt.Sprintf("%.2f", float64(s.Cents)/100) }

func salesJSON(w io.Writer, n int) error {
	b := bufio.NewWriter(w)
	for i := range n {
		s := saleOf(i)
		line, err := json.Marshal(struct {
			sale
			Cents json.Number `json:"cents"`
		}{s, json.Number(cents(s))})
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return b.Flush()
}

func salesParquet(w io.Writer, n int) error {
	p := parquet.NewGenericWriter[sale](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(50_000))
	for i := range n {
		if _, err := p.Write([]sale{saleOf(i)}); err != nil {
			return err
		}
	}
	return p.Close()
}

// salesArrow writes batches of 10,000 rows, 7 in small files.
func salesArrow(w io.Writer, ending string, n int) error {
	names := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "product", Type: arrow.BinaryTypes.StringView}, {Name: "age", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "kind", Type: names}, {Name: "price", Type: arrow.PrimitiveTypes.Float64}, {Name: "ratio", Type: arrow.PrimitiveTypes.Float32},
		{Name: "count", Type: arrow.PrimitiveTypes.Int64}, {Name: "small", Type: arrow.PrimitiveTypes.Uint8}, {Name: "fresh", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "sold", Type: arrow.FixedWidthTypes.Date32}, {Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us}, {Name: "cents", Type: &arrow.Decimal128Type{Precision: 12, Scale: 2}},
		{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String)}}, nil)
	var out interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(w, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))
	if ending == ".arrow" {
		file, err := ipc.NewFileWriter(w, ipc.WithSchema(schema), ipc.WithZstd(), ipc.WithDictionaryDeltas(true))
		if err != nil {
			return err
		}
		out = file
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for i := range n {
		appendSale(b, saleOf(i))
		if at := i + 1; at == n || at%10_000 == 0 || n < 1000 && at%7 == 0 {
			if err := out.Write(b.NewRecordBatch()); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

func appendSale(b *array.RecordBuilder, s sale) {
	if s.Age != nil {
		b.Field(1).(*array.Float64Builder).Append(*s.Age)
	} else {
		b.Field(1).AppendNull()
	}
	b.Field(3).(*array.Float64Builder).Append(s.Price)
	b.Field(4).(*array.Float32Builder).Append(s.Ratio)
	b.Field(5).(*array.Int64Builder).Append(s.Count)
	b.Field(6).(*array.Uint8Builder).Append(s.Small)
	b.Field(7).(*array.BooleanBuilder).Append(s.Fresh)
	b.Field(8).(*array.Date32Builder).Append(arrow.Date32(s.Sold))
	b.Field(9).(*array.TimestampBuilder).Append(arrow.Timestamp(s.At.UnixMicro()))
	tags := b.Field(11).(*array.ListBuilder)
	tags.Append(true)
	for field, text := range map[int]string{0: s.Product, 2: s.Kind, 10: cents(s), 11: s.Tags[0]} {
		to := b.Field(field)
		if field == 11 {
			to = tags.ValueBuilder()
		}
		if err := to.AppendValueFromString(text); err != nil {
			panic(err)
		}
	}
}
