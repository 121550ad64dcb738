package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// wordings pairs cobra's errors about flags and arguments with this program's. A group of a pattern is a
// list of flags or a number, which replaces $1 or $2.
var wordings = []struct {
	cobra *regexp.Regexp
	ours  string
}{
	{regexp.MustCompile(`^required flag\(s\) (.*) not set$`), "expected $1"},
	{regexp.MustCompile(`^at least one of the flags in the group \[(.*)\] is required$`), "expected one of $1"},
	{regexp.MustCompile(`^if any flags in the group \[(.*)\] are set they must all be set; missing \[(.*)\]$`), "found no $2, expected all of $1"},
	{regexp.MustCompile(`^if any flags in the group .* are set none of the others can be; \[(.*)\] were all set$`), "found $1, expected only one of them"},
	{regexp.MustCompile(`^accepts (\d+) arg\(s\), received (\d+)$`), "found $2 arguments, expected $1"},
	{regexp.MustCompile(`^requires at least (\d+) arg\(s\), only received (\d+)$`), "found $2 arguments, expected at least $1"},
}

// stray is cobra's error for an argument of a command that takes none.
var stray = regexp.MustCompile(`^unknown command (".*") for ".*"$`)

// usageMessage returns the message for an error that cobra returns before the command runs. It rewords
// cobra's own errors and leaves others as they are.
func usageMessage(err error) string {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return fmt.Sprintf("--%s: found %q, expected %s", value.GetFlag().Name, value.GetValue(), flagValues(value.GetFlag()))
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		return fmt.Sprintf("--%s: found no value, expected one", missing.GetFlag().Name)
	}
	if m := stray.FindStringSubmatch(err.Error()); m != nil {
		return "found the argument " + m[1] + ", expected only flags"
	}
	for _, w := range wordings {
		if m := w.cobra.FindStringSubmatch(err.Error()); m != nil {
			return strings.NewReplacer("$1", flagList(m[1]), "$2", flagList(m[len(m)-1])).Replace(w.ours)
		}
	}
	return err.Error()
}

// flagList writes cobra's list of names as flags: --config and --weights. It leaves a number as it
// is.
func flagList(names string) string {
	list := strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune(` ,"`, r) })
	if len(list) == 1 && list[0][0] <= '9' {
		return names
	}
	return "--" + strings.Join(list, " and --")
}

// flagValues says which values a flag can have, such as "true or false".
func flagValues(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number of at most 18 digits"
	case "uint64":
		return "a whole number from 0 to 18446744073709551615"
	case "bool":
		return "true or false"
	case "numberList":
		return numberListValues
	case "float64":
		unit, _ := pflag.UnquoteUsage(f)
		return "a number of " + strings.ToLower(unit) + ", at least 0" // no flag takes less
	}
	return "numbers, separated by commas"
}
