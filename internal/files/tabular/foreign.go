package tabular

import (
	"bytes"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A signature is how files that are no tables of ours begin, and what to do with them.
type signature struct {
	at     int    // where in the file
	magic  string // what stands there
	has    string // what the first bytes have somewhere; "" for anything
	found  string
	advice string
}

// What is expected instead of files that other programs can write as CSV, or unpack.
const (
	saveAsCSV = "CSV, as the program writes it that made the file"
	fromExcel = "CSV: in the spreadsheet, save the sheet as CSV UTF-8"
	fromPage  = "CSV: the link may lead to a page, and not to its data"
	fromR     = "CSV, as R writes it: write.csv(d, FILE, row.names = FALSE)"
	fromTable = "CSV or Parquet, as pandas writes them: d.to_csv(FILE, index=False)"
	unpackIt  = "the file in it: unpack it first"
)

// signatures are those of files that people give for tables. The first that fits holds.
var signatures = []signature{
	{0, "PK\x03\x04", "opendocument.spreadsheet", "a LibreOffice workbook", fromExcel},
	{0, "PK\x03\x04", "xl/", "an Excel workbook", fromExcel},
	{0, "PK\x03\x04", "[Content_Types].xml", "an Excel workbook, or another file of Office", fromExcel},
	{0, "PK\x03\x04", ".npy", "NumPy's arrays", fromTable},
	{0, "PK\x03\x04", "", "a zip archive", unpackIt},
	{0, "PK\x05\x06", "", "an empty zip archive", unpackIt},
	{0, "\xd0\xcf\x11\xe0", "", "an Excel workbook (.xls), or another old file of Office", fromExcel},
	{0, "\xfd7zXZ\x00", "", "a file compressed by xz", "CSV: unpack it with xz -d, or compress it by gzip"},
	{4, "1AY&SY", "", "a file compressed by bzip2", "CSV: unpack it with bzip2 -d, or compress it by gzip"},
	{0, "\x04\x22\x4d\x18", "", "a file compressed by LZ4", "CSV: unpack it with lz4 -d, or compress it by gzip"},
	{0, "7z\xbc\xaf\x27\x1c", "", "a 7-Zip archive", unpackIt},
	{0, "Rar!\x1a\x07", "", "a RAR archive", unpackIt},
	{257, "ustar", "", "a tar archive", unpackIt},
	{0, "SQLite format 3\x00", "", "an SQLite database", "CSV, as sqlite3 -header -csv FILE 'SELECT * FROM TABLE' writes it"},
	{8, "DUCK", "", "a DuckDB database", "CSV or Parquet, as DuckDB's COPY TABLE TO writes them"},
	{0, "<stata_dta>", "", "a Stata file", "CSV, as Stata writes it: export delimited using FILE"},
	{0, "r\x01\x01\x00", "", "a Stata file", "CSV, as Stata writes it: export delimited using FILE"},
	{0, "r\x02\x01\x00", "", "a Stata file", "CSV, as Stata writes it: export delimited using FILE"},
	{0, "s\x02\x01\x00", "", "a Stata file", "CSV, as Stata writes it: export delimited using FILE"},
	{0, "$FL2@(#)", "", "an SPSS file", saveAsCSV},
	{0, "$FL3@(#)", "", "an SPSS file", saveAsCSV},
	{12, "\xc2\xea\x81\x60", "", "a SAS data set", saveAsCSV},
	{0, "RDX2\n", "", "an R file", fromR},
	{0, "RDX3\n", "", "an R file", fromR},
	{0, "X\n\x00\x00\x00", "", "an R file (.rds)", fromR},
	{0, "\x80\x02", "", "a pickle", fromTable},
	{0, "\x80\x03", "", "a pickle", fromTable},
	{0, "\x80\x04", "", "a pickle", fromTable},
	{0, "\x80\x05", "", "a pickle", fromTable},
	{0, "\x93NUMPY", "", "a NumPy array", fromTable},
	{0, "\x89HDF\r\n", "", "an HDF5 file", fromTable},
	{0, "MATLAB ", "MAT-file", "a MATLAB file", "CSV, as MATLAB writes it: writetable(T, FILE)"},
	{0, "ARROW1", "", "an Arrow or Feather file", "Parquet, CSV or JSON lines"},
	{0, "\xff\xff\xff\xff", "", "an Arrow stream", "Parquet, CSV or JSON lines"},
	{0, "%PDF-", "", "a PDF", saveAsCSV},
	{0, "<!DOCTYPE html", "", "a web page", fromPage},
	{0, "<!doctype html", "", "a web page", fromPage},
	{0, "<html", "", "a web page", fromPage},
	{0, "<?xml", "", "XML", saveAsCSV},
}

// refuseForeign returns an *invalid.Input for a file that begins as one of signatures.
func refuseForeign(path string, start []byte) error {
	for _, s := range signatures {
		if len(start) > s.at && bytes.HasPrefix(start[s.at:], []byte(s.magic)) && bytes.Contains(start, []byte(s.has)) {
			return &invalid.Input{File: path, Found: s.found, Expected: s.advice}
		}
	}
	return nil
}
