package benchmark

// File is a file of a benchmark.
type File struct {
	Name   string   // below DATA-DIR/BENCHMARK, and below MIRROR/BENCHMARK of a mirror
	Holds  string   // what is in it, for messages: "training images"
	URLs   []string // the publishers' addresses, in the order to try
	Bytes  int64    // its size; 0 where unknown
	SHA256 string   // in hexadecimal; "" where none is published
	Starts string   // its first bytes, to tell it from a web page where there is no sum
}

// FileNames returns the names of b.Files.
func (b Benchmark) FileNames() []string {
	var names []string
	for _, f := range b.Files {
		names = append(names, f.Name)
	}
	return names
}

// Downloads returns the files that publishers offer; none for a benchmark without any.
func (b Benchmark) Downloads() []File {
	if b.Published != nil {
		return b.Published
	}
	return b.Files
}

// from fills in the addresses of a file that has the same name in all folders.
func (f File) from(folders ...string) File {
	for _, folder := range folders {
		f.URLs = append(f.URLs, folder+f.Name)
	}
	return f
}
