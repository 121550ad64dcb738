//go:build simt

package emulator

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
)

// sourceLine is "FILE:LINE: " of the call that returns to the address in this program's file; empty where the program was
// linked without what tells that, as go test does unless asked (-ldflags='-s=0 -w=0', or -c).
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
