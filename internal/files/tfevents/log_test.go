package tfevents_test

import (
	"bytes"
	"encoding/hex"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/acqnp/acqnp/internal/files/tfevents"
	"github.com/acqnp/acqnp/internal/test/events"
	"github.com/acqnp/acqnp/internal/test/must"
)

func loss(v float32) tfevents.Scalar { return tfevents.Scalar{Tag: "loss", Value: v} }

// begin starts a log's next file.
func begin(t *testing.T, dir string, mode tfevents.Mode, step int) *tfevents.Log {
	t.Helper()
	l := must.Get(tfevents.Open(dir, mode))(t)
	must.Do(t, l.Start(step))
	t.Cleanup(func() { l.Close() })
	return l
}

func wantLosses(t *testing.T, dir string, want ...events.Value) {
	t.Helper()
	if got := must.Get(events.Shown(dir))(t)["loss"]; !reflect.DeepEqual(got, want) {
		t.Errorf("losses %v, want %v", got, want)
	}
}

// The reader of the tests reads what TensorBoard 2.21's record_writer wrote: a version, a start at step
// 7, and a loss and a picture of step 8.
func TestTheReaderOfTheTests(t *testing.T) {
	written := must.Get(hex.DecodeString("1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c" +
		"0f000000000000006d532b0909000000000000044010073a0208019aaf83ce" +
		"2e00000000000000c5cb57fa090000000000000c4010082a210a0b0a046c6f7373150000803e0a120a03666974220b0801100218042203706e67afd756e5"))(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "events.out.tfevents.1.theirs")
	must.Do(t, os.WriteFile(file, written, 0o644))
	want := map[string][]events.Value{"loss": {{Step: 8, Number: 0.25}}, "fit": {{Step: 8, PNG: []byte("png")}}}
	if got := must.Get(events.Shown(dir))(t); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	written[len(written)-20]++
	must.Do(t, os.WriteFile(file, written, 0o644))
	if got, err := events.Shown(dir); err == nil {
		t.Errorf("a changed byte is read as %v", got)
	}
}

func TestNumbersAndPictures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs", "a")
	var picture bytes.Buffer
	must.Do(t, png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 3, 2))))
	l := begin(t, dir, tfevents.Fresh, 1)
	must.Do(t, l.Scalars(1, loss(-0.5), tfevents.Scalar{Tag: "learning_rate", Value: 1e-3}), l.Scalars(2, loss(0)), l.PNG(2, "fit", picture.Bytes()))
	want := map[string][]events.Value{"loss": {{Step: 1, Number: -0.5}, {Step: 2}}, "learning_rate": {{Step: 1, Number: 1e-3}},
		"fit": {{Step: 2, PNG: picture.Bytes()}}}
	if got := must.Get(events.Shown(dir))(t); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if err := l.PNG(2, "fit", []byte("no picture")); err == nil {
		t.Error("no error for bytes that are no PNG")
	}
}

// Each process adds a file. Its steps replace those of the files before, whose last record may be torn.
func TestALogGoesOn(t *testing.T) {
	dir := t.TempDir()
	first := begin(t, dir, tfevents.Continue, 1)
	must.Do(t, first.Scalars(1, loss(1)), first.Scalars(2, loss(2)), first.Scalars(3, loss(3)))
	name := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)[0]
	content := must.Get(os.ReadFile(name))(t)
	must.Do(t, os.WriteFile(name, content[:len(content)-3], 0o644))
	wantLosses(t, dir, events.Value{Step: 1, Number: 1}, events.Value{Step: 2, Number: 2})
	for _, v := range []float32{20, 30} { // in the same second
		must.Do(t, begin(t, dir, tfevents.Continue, 2).Scalars(2, loss(v)))
		wantLosses(t, dir, events.Value{Step: 1, Number: 1}, events.Value{Step: 2, Number: v})
	}
	must.Do(t, begin(t, dir, tfevents.Continue, 1).Scalars(1, loss(7)))
	wantLosses(t, dir, events.Value{Step: 1, Number: 7})
}

// Replace removes the files of this program alone.
func TestALogIsReplaced(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, begin(t, dir, tfevents.Fresh, 1).Scalars(1, loss(1)))
	must.Do(t, os.WriteFile(filepath.Join(dir, "events.out.tfevents.1.theirs"), nil, 0o644))
	must.Refuse(t, must.Err(tfevents.Open(dir, tfevents.Fresh)), dir+": found the log of a run", "--resume", "--overwrite")
	l := must.Get(tfevents.Open(dir, tfevents.Replace))(t)
	wantLosses(t, dir, events.Value{Step: 1, Number: 1}) // before Start
	must.Do(t, l.Start(1), l.Scalars(2, loss(2)), l.Close())
	wantLosses(t, dir, events.Value{Step: 2, Number: 2})
	if files := must.Get(os.ReadDir(dir))(t); len(files) != 2 {
		t.Errorf("%v, want one file of the log and theirs", files)
	}
}

func TestNothingIsWrittenBeforeTheStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	var none *tfevents.Log
	for _, l := range []*tfevents.Log{none, must.Get(tfevents.Open(dir, tfevents.Fresh))(t)} {
		must.Do(t, l.Scalars(1, loss(1)), l.PNG(1, "fit", nil), l.Close())
	}
	must.Do(t, none.Start(1))
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s was made: %v", dir, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o644))
	for _, mode := range []tfevents.Mode{tfevents.Fresh, tfevents.Continue, tfevents.Replace} {
		must.Refuse(t, must.Err(tfevents.Open(file, mode)), file+": found a file")
	}
}
