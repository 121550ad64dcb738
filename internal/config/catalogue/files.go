package catalogue

import "slices"

// File is a file of a benchmark.
type File struct {
	Name   string   // below DATA-DIR/BENCHMARK, and below MIRROR/BENCHMARK of a mirror
	Holds  string   // what is in it, for messages: "training images"
	URLs   []string // the publishers' addresses, in the order to try
	Bytes  int64    // its size; 0 if unknown
	SHA256 string   // in hexadecimal; "" if none is published
	Other  string   // the sum of the same content as others pack it; "" if no such file is known
	Starts string   // its first bytes, which tell it from a web page if there is no SHA256
}

// FileNames returns the names of b.Files.
func (b Benchmark) FileNames() []string {
	var names []string
	for _, f := range b.Files {
		names = append(names, f.Name)
	}
	return names
}

// Downloads returns the files that publishers offer, with their addresses, or nil for a benchmark
// without files.
func (b Benchmark) Downloads() []File {
	if b.Published != nil {
		return b.Published
	}
	files := slices.Clone(b.Files)
	for i := range files {
		for _, folder := range b.Folders {
			files[i].URLs = append(files[i].URLs, folder+files[i].Name)
		}
	}
	return files
}
