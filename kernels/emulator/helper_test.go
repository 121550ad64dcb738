//go:build simt

package emulator_test

import (
	"testing"
	"unsafe"

	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/emulator"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// orders holds orders of threads and blocks. Every result must be the same in all of them.
var orders = []int{0, 1, 2, 12345}

// device returns a driver that the test closes.
func device(t testing.TB, o emulator.Options) *emulator.Driver {
	t.Helper()
	d := emulator.New(o)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

func upload[T any](t testing.TB, d gpu.Driver, s []T) gpu.Ptr {
	t.Helper()
	p, err := d.Alloc(len(bytesOf(s)))
	if err == nil {
		err = d.Upload(p, bytesOf(s))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func download[T any](t testing.TB, d gpu.Driver, p gpu.Ptr, n int) []T {
	t.Helper()
	s := make([]T, n)
	must.Do(t, d.Download(bytesOf(s), p))
	return s
}

// launch starts a kernel with a grid of one dimension and waits for it.
func launch(t testing.TB, d gpu.Driver, name string, blocks, threads, shared int, args ...any) error {
	t.Helper()
	f := must.Get(d.Function(name))(t)
	if err := d.Launch(f, gpu.Line(blocks, threads, shared), gpu.Args(args...)); err != nil {
		return err
	}
	return d.Sync()
}

// number returns the i-th of a fixed sequence of numbers between -1 and 1 with few significant
// bits, exact in halves.
func number(i int) float32 { return float32((i*2654435761>>7)%129-64) / 64 }

func numbers(n, from int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = number(from + i)
	}
	return s
}
