package tabular

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/acqnp/acqnp/internal/invalid"
)

// A reader of Parquet holds one page of each column and the column's dictionary. Together they may take
// mostUnpacked bytes, or mostUnpackedRatio times the size of the file if that is more: a file of 16 KB can
// state pages of gigabytes.
const (
	mostUnpacked      = 256 << 20
	mostUnpackedRatio = 1024
)

// bytesOfValue is what a value takes beside the text of its page, for numbers and indices.
const bytesOfValue = 8

// checkUnpacked refuses a file by what the headers of its pages state, before a page is unpacked.
func checkUnpacked(r io.ReaderAt, size int64, groups []format.RowGroup) error {
	most := max(mostUnpacked, mostUnpackedRatio*size)
	for _, g := range groups {
		total := int64(0)
		for _, c := range g.Columns {
			// parquet-go 0.32 returns other values than pages by LZ4 hold, without an error.
			if codec := c.MetaData.Codec; codec == format.Lz4 || codec == format.Lz4Raw {
				return &invalid.Input{Found: "Parquet compressed by LZ4", Expected: "no compression, or Snappy, gzip, Brotli or Zstandard"}
			}
			bytes, err := unpacked(r, size, c.MetaData)
			if err != nil {
				return err
			}
			if total += bytes; total > most {
				return &invalid.Input{Found: fmt.Sprintf("Parquet pages of %d MB or more when they are unpacked, in a file of %d bytes", total>>20, size),
					Expected: fmt.Sprintf("at most %d MB", most>>20)}
			}
		}
	}
	return nil
}

// unpacked returns the largest size of a column's dictionary and a page.
func unpacked(r io.ReaderAt, size int64, m format.ColumnMetaData) (bytes int64, err error) {
	at := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	end := at + m.TotalCompressedSize
	if at < 0 || end < at || end > size {
		return 0, io.ErrUnexpectedEOF
	}
	dictionary, page := int64(0), int64(0)
	for at < end {
		var h format.PageHeader
		section := io.NewSectionReader(r, at, end-at)
		buffer := bufio.NewReaderSize(section, 512)
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(buffer)).Decode(&h); err != nil {
			return 0, err
		}
		if h.UncompressedPageSize < 0 || h.CompressedPageSize < 0 {
			return 0, io.ErrUnexpectedEOF
		}
		values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
		takes := int64(h.UncompressedPageSize) + bytesOfValue*int64(max(values, 0))
		if h.Type == format.DictionaryPage {
			dictionary = max(dictionary, takes)
		} else {
			page = max(page, takes)
		}
		read, _ := section.Seek(0, io.SeekCurrent) // the reader does not count what it reads
		at += read - int64(buffer.Buffered()) + int64(h.CompressedPageSize)
	}
	return dictionary + page, nil
}
