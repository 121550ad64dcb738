// Command gen writes the assembly of package simd and its Go declarations: kernels_amd64.s and
// kernels_amd64.go, heads_amd64.s and heads_amd64.go for whole heads of attention, halves_amd64.s and
// halves_amd64.go for bfloat16, and doubles_amd64.s and doubles_amd64.go for float64. generated.sum has
// the SHA-256 of these files and of the generator's own, so that a test sees if one of them changed alone.
// `go generate ./internal/simd` runs it. It is a separate module, so that the program's module does
// not depend on avo.
//
// The type vectors stands for one instruction set (AVX-512 or AVX2); each of its methods named
// after a kernel writes that kernel. A kernel's loop bodies are written once and used for whole
// vectors and for a last, masked one (edge).
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	dir := flag.String("dir", "..", "directory to write to")
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// emitters write the functions of each file, whose name has no extension.
var emitters = map[string]func(sets []*vectors){"kernels_amd64": kernels, "heads_amd64": heads, "doubles_amd64": float64s, "halves_amd64": halves}

// write writes the files, and generated.sum in sha256sum's form. The working directory is the generator's.
func write(dir string) error {
	names, err := filepath.Glob("*.go")
	if err != nil {
		return err
	}
	var sums strings.Builder
	add := func(content []byte, name string) { fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name) }
	for _, name := range append(names, "go.mod", "go.sum") {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		add(content, "gen/"+name)
	}
	for _, file := range slices.Sorted(maps.Keys(emitters)) {
		ctx := build.NewContext()
		emitters[file](instructionSets(ctx))
		functions, err := ctx.Result()
		if err == nil {
			err = pass.Compile.Execute(functions)
		}
		if err != nil {
			return err
		}
		encodePlaceholders(functions)
		cfg := printer.Config{Name: "internal/simd/gen", Pkg: "simd"}
		for _, p := range []struct {
			name    string
			printer printer.Printer
		}{{file + ".go", printer.NewStubs(cfg)}, {file + ".s", printer.NewGoAsm(cfg)}} { // declarations and assembly
			text, err := p.printer.Print(functions)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, p.name), text, 0o644)
			}
			if err != nil {
				return err
			}
			add(text, p.name)
		}
	}
	return os.WriteFile(filepath.Join(dir, "generated.sum"), []byte(sums.String()), 0o644)
}

// heads emits the functions of one head of attention.
func heads(sets []*vectors) {
	for nv := 1; nv <= 2; nv++ {
		sets[0].attend(nv)
		sets[0].attendGrad(nv)
	}
}

// kernels emits all other functions.
func kernels(sets []*vectors) {
	for _, v := range sets {
		// With one vector, a last strip of 16 columns or fewer takes half the work. In AVX2 such a kernel
		// would have six chains of sums, too few to hide their latency.
		for _, nv := range []int{2, 1}[:v.lanes/8] {
			v.multiply(nv)
			v.multiplyStrided(nv)
			v.transposeMultiply(nv)
		}
		if v.lanes == 8 {
			v.turn()
		}
		for n := 1; n <= 4; n++ {
			v.narrow(n)
		}
		for _, nv := range []int{8, 2, 1} {
			v.sumRows(nv)
		}
		for _, kernel := range []func(){v.axpy, v.flush, v.round, v.addRows, v.dot, v.exp, v.log, v.softplusSigmoid, v.greatest, v.expSum,
			v.softmaxRows, v.softmaxGradRows, v.scaleRows, v.normalise, v.normaliseGrad, v.adam, v.fmaPeak} {
			kernel()
			v.end()
		}
	}
	sets[0].tilesPack()
	sets[0].tilesMultiply(false)
	sets[0].tilesMultiply(true)
}

// float64s emits the functions of float64.
func float64s(sets []*vectors) {
	for _, v := range sets {
		for _, kernel := range []func(){v.squaredExponential, v.matern52, v.subtractProducts, v.laplaceSums, v.laplaceSlope, v.exps, v.logistic} {
			kernel()
		}
	}
}
