package datasets

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
)

// maxTasks bounds the batches of a file. Each batch takes two entries of about 90 bytes in the
// header, for which the format allows 100 MB.
const maxTasks = 500_000

// WriteTasks writes the first evaluation batches of a benchmark's source to a tasks file, which appears under
// its name when it is complete. It stops if ctx ends. It calls report, which may be nil, with the
// number of finished batches. Data sets of groups are an *invalid.Input.
func WriteTasks(ctx context.Context, path, benchmark string, src *Source, batches int, report func(done int)) (err error) {
	if batches < 1 || batches > maxTasks {
		return &invalid.Input{Key: "batches", Found: fmt.Sprint(batches), Expected: fmt.Sprintf("1 to %d", maxTasks)}
	}
	if _, err := files.Target(path); err != nil {
		return &invalid.Input{File: path, Found: "no such directory", Expected: "a file in a directory that exists"}
	}
	// The header comes first in the file, but needs all batches. They wait in a temporary file.
	spool, err := files.Scratch(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close(), os.Remove(spool.Name())) }()
	specs, contexts, err := spoolTasks(ctx, spool, src, batches, report)
	if err != nil {
		return err
	}
	list, err := json.Marshal(contexts)
	if err != nil {
		return err
	}
	meta := map[string]string{contextKey: string(list), benchmarkKey: benchmark}
	if meta[safetensors.ChecksumKey], err = safetensors.Checksum(meta, specs, fromStart(spool)); err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error {
		if err := safetensors.WriteHeader(w, meta, specs); err != nil {
			return err
		}
		_, err := io.Copy(w, fromStart(spool))
		return err
	})
}

// fromStart returns a reader of the whole file, whatever its offset is.
func fromStart(f *os.File) io.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(f, 0, math.MaxInt64), 1<<20)
}

// spoolTasks writes the bytes of all tensors, one after the other. It returns the specs of the
// tensors and N_c of each batch, which the header lists.
func spoolTasks(ctx context.Context, w io.Writer, src *Source, batches int, report func(done int)) ([]safetensors.Spec, []int, error) {
	var specs []safetensors.Spec
	var contexts []int
	buffered := bufio.NewWriterSize(w, 1<<20)
	var b Batch
	for i := range batches {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if err := src.Eval.Make(i, &b); err != nil {
			return nil, nil, err
		}
		if len(b.Ranges) > 0 {
			return nil, nil, &invalid.Input{Key: "benchmark", Found: "data sets of groups", Expected: "another: a tasks file does not say which rows are of one group"}
		}
		for _, t := range []safetensors.Tensor{
			safetensors.F32(tensorName(i, "x"), []int{b.Groups, b.Points, b.DX}, b.X),
			safetensors.F32(tensorName(i, "y"), []int{b.Groups, b.Points, b.DY}, b.Y),
		} {
			specs = append(specs, safetensors.Spec{Name: t.Name, DType: t.DType, Shape: t.Shape})
			if _, err := buffered.Write(t.Data); err != nil {
				return nil, nil, err
			}
		}
		contexts = append(contexts, b.Context)
		if report != nil {
			report(i + 1)
		}
	}
	return specs, contexts, buffered.Flush()
}
