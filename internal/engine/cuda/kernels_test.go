package cuda

import (
	"os"
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
)

// TestKernelsAreThoseOfTheTable checks that the engine has a kernel for every operation, and no others.
func TestKernelsAreThoseOfTheTable(t *testing.T) {
	own := 0
	for _, kind := range ops.Kinds() {
		_, ok := kernels[kind]
		if !ok && kind.Element() == "" {
			t.Errorf("%s has no kernel", kind)
		}
		if ok {
			own++
		}
	}
	if own != len(kernels) {
		t.Errorf("%d kernels, of which %d are of operations", len(kernels), own)
	}
}

// TestHeaderIsThatOfTheOperations compares kernels/operations.h with the declarations of operations. With
// WRITE_OPERATIONS it writes the file.
func TestHeaderIsThatOfTheOperations(t *testing.T) {
	const path = "../../../kernels/operations.h"
	if os.Getenv("WRITE_OPERATIONS") != "" {
		must.Do(t, os.WriteFile(path, []byte(header()), 0o644))
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != header() {
		t.Errorf("kernels/operations.h is not what go generate ./internal/engine/cuda writes: %v", err)
	}
}

// header returns the text of kernels/operations.h.
func header() string {
	text := `// Written by go generate ./internal/engine/cuda. Do not edit.
#pragma once

// TASKS has the operations that kernels compute, ELEMENTS those that are declared by an element in
// internal/models/ops: element i of a result, of column in row.
#define TASKS(ENTRY)`
	for _, o := range operations {
		if o == elements[0] {
			text += "\n\n#define ELEMENTS(ENTRY)"
		}
		text += " \\\n  ENTRY(" + o.name()
		if element := ops.Kind(o).Element(); element != "" {
			text += ", " + element
		}
		text += ")"
	}
	return text + "\n"
}
