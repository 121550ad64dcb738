package tabular

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

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
			return func(dst []byte, v parquet.Value) []byte {
				return time.Unix(int64(v.Int32())*secondsPerDay, 0).UTC().AppendFormat(dst, time.DateOnly)
			}
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
		return func(dst []byte, v parquet.Value) []byte { return appendNumber(dst, float64(v.Float()), 32) }
	case parquet.Double:
		return func(dst []byte, v parquet.Value) []byte { return appendNumber(dst, v.Double(), 64) }
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

// Texts of typed values, as CSV files have them.

// appendNumber appends the shortest text of a number of so many bits, so that 0.1 of a float32 stays 0.1, and nothing for NaN,
// which is a missing value.
func appendNumber(dst []byte, v float64, bits int) []byte {
	if math.IsNaN(v) {
		return dst
	}
	return strconv.AppendFloat(dst, v, 'g', -1, bits)
}

const secondsPerDay = 24 * 60 * 60

// appendTime appends a point in time: in UTC if it is one of the world, else without a zone.
func appendTime(dst []byte, t time.Time, zoned bool) []byte {
	layout := "2006-01-02T15:04:05.999999999"
	if zoned {
		layout += "Z"
	}
	return t.UTC().AppendFormat(dst, layout)
}
