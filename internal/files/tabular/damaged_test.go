package tabular_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/test/must"
)

// An array of objects that is cut anywhere is refused, also between two of them.
func TestCutArraysOfObjects(t *testing.T) {
	whole := `[{"x":1,"y":2},{"x":2,"y":3}]`
	if err := read(datatest.CSV(t, whole)); err != io.EOF {
		t.Errorf("the whole: %v", err)
	}
	for cut := len(`[{"x"`); cut < len(whole); cut++ {
		var bad *invalid.Input
		if err := read(datatest.CSV(t, whole[:cut])); !errors.As(err, &bad) {
			t.Errorf("%s: error %v, want an *invalid.Input", whole[:cut], err)
		}
	}
}

// Files with random changes of some bytes are read or refused. DAMAGES says how many of each form, 100
// without it.
func TestDamagedTables(t *testing.T) {
	damages, err := strconv.Atoi(os.Getenv("DAMAGES"))
	if err != nil {
		damages = 100
	}
	path := filepath.Join(t.TempDir(), "damaged")
	for _, ending := range datatest.SalesForms[1:] {
		var whole bytes.Buffer
		must.Do(t, datatest.WriteSales(&whole, ending, 30))
		refused := 0
		for i := range damages {
			content := bytes.Clone(whole.Bytes())
			d := rand.New(rand.NewPCG(uint64(i), 0))
			for range 1 + d.IntN(4) {
				at := d.IntN(len(content))
				switch d.IntN(3) {
				case 0:
					content[at] ^= 1 << d.IntN(8)
				case 1:
					content[at] = byte(d.IntN(256))
				case 2: // a length of many bytes
					copy(content[at:], []byte{0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f}[:1+d.IntN(8)])
				}
			}
			must.Do(t, os.WriteFile(path, content, 0o600))
			err := read(path)
			var bad *invalid.Input
			if errors.As(err, &bad) {
				refused++
			} else if err != nil && err != io.EOF {
				t.Errorf("%s, damage %d: error %v, want an *invalid.Input", ending, i, err)
			}
		}
		if refused == 0 {
			t.Errorf("%s: no damaged file of %d is refused", ending, damages)
		}
		t.Logf("%s: %d of %d refused", ending, refused, damages)
	}
}
