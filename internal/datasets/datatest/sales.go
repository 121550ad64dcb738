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

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// SalesForms are the endings of the forms in which WriteSales writes.
var SalesForms = []string{".csv", ".csv.gz", ".csv.zst", ".jsonl", ".jsonl.gz", ".parquet"}

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
		Sold: day(19000 + 7*i%400), At: time.Unix(1_700_000_000+int64(i)*3601, 250_000_000).UTC(), Cents: int64(100*i - 205), Tags: []string{string(rune('a' + k))}}
	if i%17 == 5 {
		s.Age = nil
	}
	return s
}

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
	}
	return salesParquet(w, n)
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
