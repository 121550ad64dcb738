//go:build simt

package emulator

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
)

// sourceLine returns "FILE:LINE: " of the call that returns to an address in this program's file.
// It returns "" if the program was linked without debug information, as go test does without -c or
// -ldflags='-s=0 -w=0'.
func sourceLine(address uint64) string {
	if address == 0 {
		return ""
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	d, err := f.DWARF()
	if err != nil {
		return ""
	}
	r := d.Reader()
	unit, err := r.SeekPC(address - 1)
	if err != nil {
		return ""
	}
	lines, err := d.LineReader(unit)
	if err != nil || lines == nil {
		return ""
	}
	var at dwarf.LineEntry
	if err := lines.SeekPC(address-1, &at); err != nil {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", filepath.Base(at.File.Name), at.Line)
}
