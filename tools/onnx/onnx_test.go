package main

import (
	"cmp"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOnnxruntimeAgreesWithPredict runs check.py, also with onnx's own checker. ONNX_PYTHON names a
// Python that has onnx and onnxruntime.
func TestOnnxruntimeAgreesWithPredict(t *testing.T) {
	python := cmp.Or(os.Getenv("ONNX_PYTHON"), "python3")
	if out, err := exec.Command(python, "-c", "import onnx, onnxruntime, numpy").CombinedOutput(); err != nil {
		t.Skipf("%s has no onnx, onnxruntime or numpy: %v\n%s", python, err, out)
	}
	folder := t.TempDir()
	if err := write(folder); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "check.py", folder).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "models agree with predict") {
		t.Errorf("check.py: %v\n%s", err, out)
	}
}

// TestEveryCaseCanBePredicted writes the cases, which needs no Python.
func TestEveryCaseCanBePredicted(t *testing.T) {
	folder := t.TempDir()
	if err := write(folder); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) < 3*24 {
		t.Errorf("%d files: %v", len(files), err)
	}
}
