package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A kernel declares a function of package simd that assembly computes. From it come the Go function, which
// checks lengths and chooses among the instruction sets and plain Go, and the assembly's signature.
type kernel struct {
	form
	goes     string   // the Go function's name, parameters and results
	doc      string   // what it does, as its comment says behind its name
	assembly string   // what the assembly's comment says; by default, that it is a kernel of the Go function
	checks   string   // statements of the Go function
	before   string   // a statement before the assembly is called
	vectors  string   // where there is assembly for several numbers of vectors: how many it takes, of lanes floats each
	more     []string // more parameters of the assembly, as in fields
	portable string   // the call of plain Go, by default of a function with the same parameters; "none" where nothing calls it
}

// form is what kernels of a kind have in common. $ stands for the last slice.
type form struct {
	check string   // a function that checks the lengths of two slices
	empty string   // where there is nothing to do
	last  []string // the assembly's last parameters
	doc   string   // the end of the assembly's comment
}

// The forms: slices, and matrices with the mask of their last columns or with other masks. Functions with a small
// first letter get operands that have been checked, with at least one element.
var (
	slice32  = form{"equal", "len($) == 0", []string{"n int len($)", "mask *int32 mask(len($)%lanes)"}, "; n elements; mask [lanes] is for the last vector"}
	slice64  = form{"doubles", "len($) == 0", []string{"n int len($)"}, "; n elements"}
	matrix   = form{"", "m == 0", []string{"mask *int32 mask(n%16)"}, "; mask [16] is -1 in the first n mod 16 elements"}
	unmasked = form{empty: "m == 0"}
)

// fields are the assembly's parameters for a Go parameter of a type: names, types and values. $ stands for the Go
// parameter's name or value. Other types are the same in both.
var fields = map[string][]string{
	"[]float32":    {"$ *float32 &$[0]"},
	"[]float64":    {"$ *float64 &$[0]"},
	"Matrix":       {"$ *float32 &$.Data[0]", "ld$ int $.Stride"},
	"AdamStep":     {"$ *float32 &$.Rate"},
	"LaplaceTerms": {"$ *float64 &$[0]", "blocks int len($)/termBlock"},
	"Norm":         {"gain []float32 $.Gain", "epsilon float32 $.Epsilon"},
	"NormGrad":     {"dx Matrix $.X", "dgain []float32 $.Gain", "dshift []float32 $.Shift"},
	"*Head": {"n int $.Context", "q Matrix $.Q", "k Matrix $.K", "v Matrix $.V", "scale float32 $.Scale", "room []float32 $.Room",
		"mask *int32 mask($.Context%16)", "rows int $.Next.Rows", "keys int $.Next.Keys", "columns int $.Next.Columns"},
	"HeadGrad": {"grad Matrix $.G", "dq Matrix $.Q", "dk Matrix $.K", "dv Matrix $.V"},
	"*product": {"m int $.m", "a Matrix $.a", "b []float32 $.b", "k int $.k", "from Matrix $.from", "c Matrix $.c",
		"y *float32 first($.y.Data)", "ldy int $.y.Stride", "floor float32 $.floor"},
	"*transposed": {"k int $.k", "m int $.m", "a Matrix $.a", "b Matrix $.b", "c Matrix $.c"},
}

// parameter is one of a function's parameters, with the value that a call passes.
type parameter struct{ name, kind, value string }

// flat returns the assembly's parameters for a Go parameter.
func (p parameter) flat() []parameter {
	parts, ok := fields[p.kind]
	if !ok {
		return []parameter{p}
	}
	var all []parameter
	for _, part := range parts {
		all = append(all, parsed(part, p.name, p.value).flat()...)
	}
	return all
}

// parsed reads a parameter as fields has it. name and value replace $.
func parsed(text, name, value string) parameter {
	words := strings.SplitN(text, " ", 3)
	return parameter{strings.ReplaceAll(words[0], "$", name), words[1], strings.ReplaceAll(words[2], "$", value)}
}

// declared is a kernel, what its declaration says, and which assembly there is.
type declared struct {
	kernel
	goName, name string
	goParameters []string
	slices       []string    // those that are slices
	parameters   []parameter // of the assembly
	results      string
	variants     map[string][]int // by instruction set: numbers of vectors, or 0
}

// declare reads a kernel's declaration.
func declare(k kernel) *declared {
	source := "package p; func " + k.goes
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		panic(err)
	}
	f := file.Decls[0].(*ast.FuncDecl)
	d := &declared{kernel: k, goName: f.Name.Name, results: source[f.Type.Params.End()-1:], variants: map[string][]int{}}
	d.name = strings.ToLower(d.goName[:1]) + d.goName[1:]
	list, last := f.Type.Params.List, ""
	if f.Recv != nil {
		list = append(f.Recv.List, list...)
	}
	for _, field := range list {
		kind := source[field.Type.Pos()-1 : field.Type.End()-1]
		for _, name := range field.Names {
			d.goParameters = append(d.goParameters, name.Name)
			d.parameters = append(d.parameters, parameter{name.Name, kind, name.Name}.flat()...)
			if strings.HasPrefix(kind, "[]") {
				last = name.Name
				d.slices = append(d.slices, last)
			}
		}
	}
	for _, text := range slices.Concat(k.more, k.last) {
		d.parameters = append(d.parameters, parsed(text, "", last))
	}
	d.empty = strings.ReplaceAll(d.empty, "$", last)
	return d
}

// function begins the assembly of a kernel, for a number of vectors if there is assembly for several.
func (v *vectors) function(k kernel, vectors ...int) {
	d := declare(k)
	if i := slices.IndexFunc(*v.declared, func(other *declared) bool { return other.name == d.name }); i >= 0 {
		d = (*v.declared)[i]
	} else {
		*v.declared = append(*v.declared, d)
	}
	doc := ""
	if len(d.variants) == 0 {
		doc = cmp.Or(k.assembly, "is a kernel of "+d.goName+k.form.doc+".")
	}
	n := append(vectors, 0)[0]
	d.variants[v.name] = append(d.variants[v.name], n)
	var list []string
	for _, p := range d.parameters {
		list = append(list, p.name+" "+p.kind)
	}
	v.begin(d.variant(v, n), "func("+strings.Join(list, ", ")+")"+d.results, doc)
}

// variant returns the name of a kernel's assembly for a number of vectors.
func (d *declared) variant(v *vectors, n int) string {
	if n == 0 {
		return d.name + v.name
	}
	return fmt.Sprintf("%s%sx%d", d.name, v.name, n)
}

// code writes the Go function.
func (d *declared) code(sets []*vectors) string {
	lines := wrap(d.goName+" "+d.doc, 97)
	for i, line := range lines {
		lines[i] = "// " + line
	}
	lines = append(lines, "func "+d.goes+" {")
	returned, zero := "", ""
	if d.results != "" {
		returned, zero = "return ", " 0"
	}
	if ast.IsExported(d.goName) {
		for i := 0; d.check != "" && i < len(d.slices)-1; i++ {
			lines = append(lines, fmt.Sprintf("%s(%s, %s)", d.check, d.slices[i], d.slices[len(d.slices)-1]))
		}
		if d.empty != "" {
			lines = append(lines, "if "+d.empty+" {\nreturn"+zero+"\n}")
		}
	}
	lines = append(lines, d.checks, "switch active {")
	names := ""
	for _, v := range sets { // a set without a kernel of its own takes the next one's
		names += ", " + strings.ToLower(v.name)
		if variants := d.variants[v.name]; variants != nil {
			lines = append(lines, "case "+names[2:]+":", d.before)
			lines = append(lines, d.calls(v, variants, returned)...)
			names = ""
		}
	}
	plain := cmp.Or(d.portable, returned+"portable"+strings.ToUpper(d.name[:1])+d.name[1:]+"("+strings.Join(d.goParameters, ", ")+")")
	if plain == "none" {
		plain = fmt.Sprintf("panic(%q)", "simd: plain Go has no "+d.name)
	}
	lines = slices.DeleteFunc(append(lines, "default:", plain, "}", "}"), func(line string) bool { return line == "" })
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// calls writes the calls of a set's assembly.
func (d *declared) calls(v *vectors, variants []int, returned string) (lines []string) {
	var values []string
	for _, p := range d.parameters {
		values = append(values, p.value)
	}
	for i, n := range slices.Sorted(slices.Values(variants)) {
		switch {
		case len(variants) == 1:
		case i == 0:
			lines = append(lines, fmt.Sprintf("switch vectors := %s; {\ncase vectors <= %d:", d.vectors, n))
		case i < len(variants)-1:
			lines = append(lines, fmt.Sprintf("case vectors <= %d:", n))
		default:
			lines = append(lines, "default:")
		}
		lines = append(lines, returned+d.variant(v, n)+"("+strings.Join(values, ", ")+")")
	}
	if len(variants) > 1 {
		lines = append(lines, "}")
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "lanes", fmt.Sprint(v.lanes))
	}
	return lines
}

// dispatch returns a Go file with the sets and the functions that choose among them.
func dispatch(sets []*vectors) string {
	text := "package simd\n\n// The kernel sets.\nvar (\namx = &set{name: \"amx\", vectors: avx512}\n"
	for _, v := range sets {
		text += fmt.Sprintf("%s = &set{name: %[1]q, lanes: %d, strip: %d}\n", strings.ToLower(v.name), v.lanes, 2*v.lanes)
	}
	text += "portable = &set{name: \"portable\", lanes: 1, strip: 16}\n)\n"
	for _, d := range *sets[0].declared {
		text += d.code(sets)
	}
	return text
}
