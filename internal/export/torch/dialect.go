package torch

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A network is the body of the Python function that computes a model's network.
type network struct {
	Inputs, Outputs []string // its arguments, and what it returns
	Lines           []string // an assignment each
	Results         []string // the variables that it returns
}

// networkOf writes the graph of a model's predictions and that of its head.
func networkOf(m *models.Model) (n network, err error) {
	one := ops.Extents{Functions: 1, Context: 1, Points: 1, Levels: 1}
	g, err := m.Build(tensor.Float64, one, models.Prediction)
	if err != nil {
		return n, err
	}
	head, err := m.BuildHead(tensor.Float64, one)
	if err != nil {
		return n, err
	}
	d := &dialect{rank: map[ops.Value]int{}}
	decoded, err := ops.Lower(g, d)
	if err != nil {
		return n, err
	}
	d.known = decoded
	parts, err := ops.Lower(head, d)
	if err != nil {
		return n, err
	}
	for _, in := range g.Inputs {
		n.Inputs = append(n.Inputs, in.Name)
	}
	var returned []ops.Value
	for _, out := range head.Outputs {
		n.Outputs = append(n.Outputs, out.Name)
		returned = append(returned, parts[out.Name])
	}
	if m.Quantile() {
		n.Outputs, returned = append(n.Outputs, "logit"), append(returned, decoded["logit"])
	}
	n.Lines, n.Results = d.finish(n.Inputs, returned)
	return n, nil
}

// A dialect writes operations as expressions of Python. Values have the axes of ops.Dialect and none of
// functions, since a call predicts one function.
type dialect struct {
	known       map[string]ops.Value // inputs that are computed
	assignments []assignment
	rank        map[ops.Value]int // of expressions that are not atoms
}

// An assignment gives a value a name, or a name that starts with it while the name itself is in use.
type assignment struct{ name, to string }

// The ranks of expressions: a higher one binds more tightly.
const (
	sum = iota + 1
	product
	atom
)

// expression returns an expression of a rank.
func (d *dialect) expression(rank int, format string, of ...any) ops.Value {
	v := ops.Value(fmt.Sprintf(format, of...))
	d.rank[v] = rank
	return v
}

// in returns v as an operand of an expression that needs at least a rank. A lower rank gets parentheses.
func (d *dialect) in(v ops.Value, least int) ops.Value {
	if r, ok := d.rank[v]; ok && r < least {
		return "(" + v + ")"
	}
	return v
}

// binary writes an operator between two operands.
func (d *dialect) binary(rank int, a ops.Value, operator string, b ops.Value) ops.Value {
	return d.expression(rank, "%s %s %s", d.in(a, rank), operator, d.in(b, rank+1))
}

// method writes a call of a method, or a subscript.
func (d *dialect) method(v ops.Value, format string, of ...any) ops.Value {
	return d.in(v, atom) + ops.Value(fmt.Sprintf(format, of...))
}

// Named assigns v and returns a token. finish replaces the token by the name of the variable.
func (d *dialect) Named(name string, v ops.Value) ops.Value {
	d.assignments = append(d.assignments, assignment{name, string(v)})
	return ops.Value(fmt.Sprintf("‹%d›", len(d.assignments)-1))
}

var token = regexp.MustCompile(`‹\d+›`)

// index returns the number of the assignment that a token stands for.
func index(token string) int {
	n, _ := strconv.Atoi(strings.Trim(token, "‹›"))
	return n
}

// finish returns the assignments with the names of variables, and the variables that hold the
// results. A name is used again when nothing reads its earlier value any more.
func (d *dialect) finish(arguments []string, returned []ops.Value) (lines, results []string) {
	last := make([]int, len(d.assignments)) // the last assignment that reads each
	for i, a := range d.assignments {
		for _, t := range token.FindAllString(a.to, -1) {
			last[index(t)] = i
		}
	}
	for _, v := range returned {
		last[index(string(v))] = len(d.assignments)
	}
	until := map[string]int{"w": len(last), "softplus": len(last)} // the last assignment that reads each variable
	for _, name := range arguments {
		until[name] = len(last)
	}
	names := make([]string, len(last))
	named := func(t string) string { return names[index(t)] }
	for i, a := range d.assignments {
		for n := 1; names[i] == ""; n++ {
			name := a.name
			if n > 1 {
				name = fmt.Sprintf("%s_again%d", a.name, n)
			}
			if until[name] <= i {
				names[i], until[name] = name, last[i]
			}
		}
		lines = append(lines, names[i]+" = "+token.ReplaceAllStringFunc(a.to, named))
	}
	for _, v := range returned {
		results = append(results, named(string(v)))
	}
	return lines, results
}

func (d *dialect) Input(in ops.Input) ops.Value {
	if v, ok := d.known[in.Name]; ok {
		return v
	}
	return ops.Value(in.Name)
}

// Parameter writes a parameter as part of w, the weights under their PyTorch names.
func (d *dialect) Parameter(b ops.Block, slices []ops.Slice) ops.Value {
	if len(slices[0].Tensor.Shape) > 2 {
		return stacked(b, slices)
	}
	s := slices[0]
	v := fmt.Sprintf("w[%q]", s.Tensor.Name)
	switch {
	case s.Whole():
	case b.Vector:
		v += "[" + between(s.Column, s.Columns, s.Tensor.Size()) + "]"
	case s.Rows == s.Tensor.Shape[0]:
		v += "[:, " + between(s.Column, s.Columns, s.Tensor.Shape[1]) + "]"
	default:
		v += "[" + between(s.Row, s.Rows, s.Tensor.Shape[0]) + "]"
	}
	return ops.Value(v)
}

// between writes a Python slice: n elements from first on, of size elements in all.
func between(first, n, size int) string {
	from, to := strconv.Itoa(first), strconv.Itoa(first+n)
	if first == 0 {
		from = ""
	}
	if first+n == size {
		to = ""
	}
	return from + ":" + to
}

// stacked writes the tensors of attention's heads, [rows, columns, 1] each, as one matrix. Their names
// differ in the number of the head.
func stacked(b ops.Block, slices []ops.Slice) ops.Value {
	axis := 0
	if b.Strip > 0 {
		axis = 1
	}
	before, after, _ := strings.Cut(slices[0].Tensor.Name, ".0.")
	return ops.Value(fmt.Sprintf(`torch.cat([w[f"%s.{i}.%s"] for i in range(%d)], %d).squeeze(-1)`, before, after, len(slices), axis))
}

func (d *dialect) Number(v float64) ops.Value { return ops.Value(number(v)) }

// operators maps functions of two values to Python's operator and its rank. methods maps functions of one
// value to a method.
var (
	operators = map[ops.Elementwise]struct {
		text string
		rank int
	}{ops.Plus: {"+", sum}, ops.Minus: {"-", sum}, ops.Product: {"*", product}, ops.Quotient: {"/", product}}

	methods = map[ops.Elementwise]ops.Value{ops.ReLU: ".relu()", ops.Logistic: ".sigmoid()", ops.Exponential: ".exp()", ops.Logarithm: ".log()"}
)

func (d *dialect) Elementwise(f ops.Elementwise, of ...ops.Value) ops.Value {
	if o, ok := operators[f]; ok {
		return d.binary(o.rank, of[0], o.text, of[1])
	}
	if f == ops.SmoothReLU {
		return "softplus(" + of[0] + ")"
	}
	return d.in(of[0], atom) + methods[f]
}

func (d *dialect) Times(v, weight ops.Value) ops.Value { return d.MatMul(v, weight+".T") }

func (d *dialect) MatMul(a, b ops.Value) ops.Value { return d.binary(product, a, "@", b) }

func (d *dialect) Transposed(v ops.Value) ops.Value { return d.method(v, ".mT") }

func (d *dialect) Columns(v ops.Value, from, to int) ops.Value {
	return d.method(v, "[..., %s]", between(from, to-from, -1))
}

func (d *dialect) Join(a, b ops.Value) ops.Value { return "torch.cat([" + a + ", " + b + "], -1)" }

func (d *dialect) Ones(v ops.Value) ops.Value { return "torch.ones_like(" + d.Columns(v, 0, 1) + ")" }

func (d *dialect) Sum(v ops.Value, axis ops.Axis) ops.Value {
	return d.method(v, ".sum(%d, keepdim=True)", axis)
}

func (d *dialect) LogSumExp(v ops.Value, axis ops.Axis) ops.Value {
	return d.method(v, ".logsumexp(%d, keepdim=True)", axis)
}

func (d *dialect) Softmax(v ops.Value) ops.Value { return d.method(v, ".softmax(%d)", ops.ColumnAxis) }

func (d *dialect) LayerNorm(v, gain, shift ops.Value, width int) ops.Value {
	return ops.Value(fmt.Sprintf("torch.layer_norm(%s, [%d], %s, %s)", v, width, gain, shift))
}

func (d *dialect) Heads(v ops.Value, heads, width int) ops.Value {
	return d.method(v, ".reshape(-1, %d, %d).transpose(0, 1)", heads, width)
}

func (d *dialect) Merged(v ops.Value, heads, width int) ops.Value {
	return d.method(v, ".transpose(0, 1).reshape(-1, 1, %d)", heads*width)
}

func (d *dialect) Gathered(values, index ops.Value) ops.Value {
	return d.method(values, ".take_along_dim(%s, %d)", index, ops.PointAxis)
}

// Present returns v: the program pads nothing.
func (d *dialect) Present(v ops.Value, _ ops.Axis, _ float64) ops.Value { return v }

func (d *dialect) Count(v ops.Value) ops.Value { return "max(len(" + v + "), 1)" }
