package cli

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acqnp/acqnp/internal/files/tabular"
)

// plainNumbers makes the flags of a command and of those below it read numbers as files do. pflag reads those of Go: 010
// is 8, 1_0 is 10.
func plainNumbers(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "uint64", "float64", "float64Slice":
			f.Value = plainNumber{f.Value}
		}
	})
	for _, c := range cmd.Commands() {
		plainNumbers(c)
	}
}

// A plainNumber is the value of a flag that takes a number, or several with commas between them.
type plainNumber struct{ pflag.Value }

// zeros are those before a whole number.
var zeros = regexp.MustCompile(`^([+-]?)0+(\d)`)

func (n plainNumber) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if _, ok := tabular.ParseNumber(strings.TrimSpace(part)); !ok && text != "" && (err != nil || v-v == 0) { // what is not finite is refused by who takes it
			return errors.New("expected a number")
		}
	}
	if kind := n.Type(); kind == "int" || kind == "uint64" {
		text = zeros.ReplaceAllString(text, "$1$2")
	}
	return n.Value.Set(text)
}
