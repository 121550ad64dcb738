package simd_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
	"github.com/acqnp/acqnp/internal/test/must"
)

// onEverySet runs a test for every kernel set and skips those that the machine lacks.
func onEverySet(t *testing.T, test func(t *testing.T)) {
	for _, name := range simd.Sets {
		t.Run(name, func(t *testing.T) {
			restore, ok := simd.Use(name)
			defer restore()
			if !ok {
				t.Skipf("this machine has no %s", name)
			}
			test(t)
		})
	}
}

// TestTheEnvironmentIsRead runs this test in a child process for every value of the variable: the best
// set runs where the value names none that this machine has.
func TestTheEnvironmentIsRead(t *testing.T) {
	const child = "ACQNP_SIMD_TEST_CHILD"
	if os.Getenv(child) != "" {
		fmt.Printf("runs %s\n", simd.Name())
		return
	}
	have := simd.Available()
	for _, value := range append([]string{"", "sse", "AVX512 "}, simd.Sets...) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTheEnvironmentIsRead$")
		cmd.Env = append(os.Environ(), simd.Variable+"="+value, child+"=1")
		out := must.Get(cmd.Output())(t)
		want := have[0]
		if slices.Contains(have, value) {
			want = value
		}
		if !strings.HasPrefix(string(out), "runs "+want+"\n") {
			t.Errorf("%s=%q: %q, want %s", simd.Variable, value, out, want)
		}
	}
}

// TestGeneratedFilesMatchTheGenerator compares the files of the generator and the assembly with the sums that
// the generator wrote beside it. `.ci/nightly generated` generates all of it again, which compiles the generator.
func TestGeneratedFilesMatchTheGenerator(t *testing.T) {
	list := must.Get(os.ReadFile("generated.sum"))(t)
	sums := map[string]string{}
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		sums[name] = sum
	}
	files := []string{"gen/go.mod", "gen/go.sum", "dispatch.go", "kernels_other.go"}
	for _, pattern := range []string{"gen/*.go", "*_amd64.s"} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) < 4 {
			t.Fatalf("%s: %d files, %v", pattern, len(more), err)
		}
		files = append(files, more...)
		if strings.HasSuffix(pattern, ".s") {
			for _, name := range more {
				files = append(files, strings.TrimSuffix(name, ".s")+".go")
			}
		}
	}
	for _, name := range files {
		content := must.Get(os.ReadFile(name))(t)
		if sum := fmt.Sprintf("%x", sha256.Sum256(content)); sums[name] != sum {
			t.Errorf("%s is not that of generated.sum: run go generate ./internal/simd", name)
		}
	}
	if len(sums) != len(files) {
		t.Errorf("generated.sum has %d files, want %d: run go generate ./internal/simd", len(sums), len(files))
	}
}

// canary fills all memory to which no kernel may write.
const canary = -12345.5

// matrix returns an [m, n] matrix of numbers in [-1, 1) with stride ld, with canaries between the
// rows and at the end.
func matrix(r *rand.Rand, m, n, ld int) []float32 {
	a := make([]float32, m*ld+40)
	for i := range a {
		a[i] = canary
		if i < m*ld && i%ld < n {
			a[i] = r.Float32()*2 - 1
		}
	}
	return a
}

// untouched fails if a canary is gone.
func untouched(t *testing.T, what string, a []float32, m, n, ld int) {
	t.Helper()
	for i, v := range a {
		if (i >= m*ld || i%ld >= n) && v != canary {
			t.Fatalf("%s: place %d (row %d, column %d) was written to", what, i, i/ld, i%ld)
		}
	}
}

// total is a float64 sum with a bound for a float32 sum of the same terms. n additions of rounded
// products, in any order, have an error of at most n·2⁻²³ of the sum of absolute values (twice the
// usual bound to first order).
type total struct{ value, size, terms float64 }

func (s *total) add(v float64) {
	s.value += v
	s.size += math.Abs(v)
	s.terms++
}

func (s total) holds(got float32) bool {
	return math.Abs(float64(got)-s.value) <= s.terms*0x1p-23*s.size
}

func sameBits(a, b []float32) error {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return fmt.Errorf("place %d: %v and %v", i, a[i], b[i])
		}
	}
	return nil
}

// same reports whether two numbers are equal, or both NaN.
func same(a, b float32) bool { return a == b || a != a && b != b }

// mustPanic fails for each of some calls that does not panic.
func mustPanic(t *testing.T, calls map[string]func()) {
	t.Helper()
	for name, call := range calls {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// random returns a matrix [m, n] of random numbers whose rows have a few canaries behind them.
func random(r *rand.Rand, m, n int) simd.Matrix {
	ld := n + r.IntN(20)
	return simd.Rows(matrix(r, m, n, ld), ld)
}

// at returns element (i, j) of a matrix.
func at(a simd.Matrix, i, j int) float32 { return a.Data[i*a.Stride+j] }

// copied returns a copy of a matrix.
func copied(a simd.Matrix) simd.Matrix { return simd.Rows(slices.Clone(a.Data), a.Stride) }
