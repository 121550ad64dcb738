package safetensors

import (
	"encoding/json"
	"io"
	"os"
)

// PeekMetadata returns the metadata of a file whose header begins with them, as Write's files do. It
// reads no further and checks nothing else. ok is false for any other file.
func PeekMetadata(path string) (metadata map[string]string, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	d := json.NewDecoder(io.NewSectionReader(f, 8, maxHeader)) // after the header's length
	for _, want := range []json.Token{json.Delim('{'), metadataKey} {
		if found, err := d.Token(); err != nil || found != want {
			return nil, false
		}
	}
	return metadata, d.Decode(&metadata) == nil
}
