package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acqnp/acqnp/internal/invalid"
)

// What is wrong with a command line is said here, for all commands, in this program's words: those of cobra, pflag and
// strconv name groups of flags and types of Go.

// ownWords makes the commands of the tree refuse in this program's words, and single-valued flags refuse to be given
// twice. The help says which flags may be.
func ownWords(cmd *cobra.Command) {
	if cmd.Args != nil {
		cmd.Args = ownArguments(cmd.Args)
	}
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if !addsUp(f) {
				f.Value = &once{Value: f.Value}
			} else if !strings.Contains(f.Usage, "repeatable") {
				f.Usage += "; repeatable"
			}
		})
	}
	for _, c := range cmd.Commands() {
		ownWords(c)
	}
}

// flagError returns the error for a flag that pflag cannot set.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		return noSuchFlag(cmd, unknown)
	case errors.As(err, &empty):
		return &invalid.Input{File: "--" + empty.GetFlag().Name, Found: "no value", Expected: valueOf(empty.GetFlag())}
	case errors.As(err, &wrong):
		return wrongValue(wrong)
	case errors.As(err, &syntax):
		return &invalid.Input{File: syntax.GetSpecifiedFlag(), Found: "no name of a flag", Expected: "one" + asIn(cmd)}
	}
	return err
}

// noSuchFlag returns the error for a flag that a command does not have.
func noSuchFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	if letters := e.GetSpecifiedShortnames(); letters != "" {
		return fmt.Errorf("unknown flag -%s", letters)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	text := "unknown flag --" + e.GetSpecifiedName()
	if near := invalid.Nearest(e.GetSpecifiedName(), names); near != "" {
		text += ", did you mean --" + near + "?"
	}
	return errors.New(text)
}

// wrongValue returns the error for a value that a flag does not take.
func wrongValue(e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	var again *twice
	if errors.As(e, &again) {
		return &invalid.Input{File: "--" + f.Name, Found: "it twice, as " + again.first + " and " + again.second, Expected: "it once"}
	}
	expected := valueOf(f)
	if f.Value.Type() == "numberList" {
		expected = strings.TrimPrefix(e.Unwrap().Error(), "expected ")
	}
	return &invalid.Input{File: "--" + f.Name, Found: fmt.Sprintf("%q", e.GetValue()), Expected: expected}
}

// kinds says what the values of flags of a type of pflag are. Others are texts.
var kinds = map[string]string{
	"bool":         "true or false",
	"int":          "a whole number",
	"uint64":       "a whole number from 0 to 18446744073709551615",
	"float64":      "a number",
	"float64Slice": "numbers with commas between them",
	"stringSlice":  "names with commas between them",
}

// valueOf says what a flag takes: "SECONDS, a number".
func valueOf(f *pflag.Flag) string {
	kind := kinds[f.Value.Type()]
	name, _ := pflag.UnquoteUsage(f)
	switch {
	case kind == "":
		return name
	case f.Value.Type() == "bool":
		return kind
	}
	return name + ", " + kind
}

// asIn returns a command's first example, after a comma, or "" without one.
func asIn(cmd *cobra.Command) string {
	first, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	if first == "" {
		return ""
	}
	return ", as in: " + first
}

// argument matches the first argument that is no flag's, as the use of a command writes it.
var argument = regexp.MustCompile(`^[a-z-]+ \(?([A-Z_]+)`)

// argumentOf returns the name of a command's first argument, "" if it has none.
func argumentOf(cmd *cobra.Command) string {
	if m := argument.FindStringSubmatch(cmd.Use); m != nil {
		return m[1]
	}
	return ""
}

// ownArguments returns a check of arguments with this program's words for what cobra refuses.
func ownArguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var bad *invalid.Input
		if err == nil || errors.As(err, &bad) {
			return err
		}
		if len(args) == 0 {
			return fmt.Errorf("expected %s%s", argumentOf(cmd), asIn(cmd))
		}
		n := len(args) - 1
		for n > 0 && check(cmd, args[:n]) != nil {
			n--
		}
		if err := refuseFit(cmd, args[n:]...); err != nil {
			return err
		}
		after := ""
		if n > 0 {
			after = " after " + args[n-1]
		}
		return fmt.Errorf("found the argument %q, expected none%s%s", args[n], after, asIn(cmd))
	}
}
