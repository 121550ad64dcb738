package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
)

// newHelp returns the help command. Unlike cobra's, it returns an error for an unknown command.
func newHelp(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: "  acqnp help train\n  acqnp help data generate\n  acqnp help configuration\n  acqnp help environment",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(topic, rest[0])
			}
			return topic.Help()
		},
	}
	cmd.AddCommand(newHelpConfiguration(a), newHelpEnvironment(a))
	return cmd
}

func newHelpConfiguration(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "configuration",
		Short: "Explain the keys of a configuration",
		Long: `List the keys of a configuration: what they mean, the values that they accept, their defaults, and
the models, aggregations and benchmarks that use them. "--set train.steps=2000" sets a key for one
command, and so does the environment variable ACQNP_TRAIN_STEPS.

` + precedence,
		Example: `  acqnp help configuration
  acqnp help configuration --json`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error {
			return a.result(config.Keys(), func(w io.Writer) error { return writeKeys(w, config.Keys()) })
		}),
	}
}

// writeKeys writes the keys for a terminal.
func writeKeys(w io.Writer, keys []config.Key) error {
	var b strings.Builder
	section := ""
	for _, k := range keys {
		if k.Section() != section {
			section = k.Section()
			fmt.Fprintf(&b, "%s\n\n", strings.ToUpper(section))
		}
		fmt.Fprintf(&b, "%s: %s\n", k.Name, k.Type)
		for _, line := range []struct{ title, text string }{
			{"", k.Help}, {"values:  ", k.Values}, {"default: ", k.Default}, {"used by: ", k.Users},
		} {
			fmt.Fprintf(&b, "  %s%s\n", line.title, wrapped(line.text, 2+len(line.title)))
		}
		fmt.Fprintln(&b)
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// wrapped breaks a text into lines that end at column 100 and, but for the first, begin at indent.
func wrapped(text string, indent int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > 100:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// precedence says which of several settings counts.
const precedence = "A flag overrides its environment variable, a variable overrides the configuration file, and the file\noverrides the default."

// variables are the environment variables that the program reads, but for those of schedulers.
var variables = []struct {
	Name string `json:"name"`
	Help string `json:"help"`
}{
	{"ACQNP_DATA_DIR", "the flag --data-dir: the directory of the paper's data sets (data)"},
	{"ACQNP_DEVICE", "the flag --device, what computes: auto, cpu, cuda or cuda:N (auto: a GPU, if there is one)"},
	{"ACQNP_PRECISION", "the flag --precision, the format of matrix products: auto, fp32 or bf16 on a CPU, fp32 or fp16 on a GPU"},
	{"ACQNP_THREADS", "the flag --threads, the number of CPU threads; 0 takes all cores"},
	{"ACQNP_QUIET", "the flag --quiet"},
	{"ACQNP_JSON", "the flag --json"},
	{"ACQNP_SECTION_KEY", "a key of the configuration: ACQNP_TRAIN_STEPS sets train.steps"},
	{"ACQNP_SIMD", "the kind of CPU kernels: amx, avx512, avx2 or portable"},
	{"ACQNP_SERVE_TOKEN", "the token that acqnp serve asks for; the flag --token-file names a file with it"},
	{"ACQNP_HEARTBEAT", "the time between heartbeats in a run directory, 5s if unset"},
	{"ACQNP_CUDA_DEBUG", "1 launches CUDA kernels one by one and waits for each"},
	{"ACQNP_CUDA_PAIRS", "0 leaves out the kernels for sm_90a, which H100 and H200 run"},
	{"ACQNP_CUDA_EARLY", "0 starts no CUDA kernel before the one before it has ended"},
	{"ACQNP_DEBUG", "1 prints the stack of a panic, which is a bug to report"},
}

func newHelpEnvironment(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "Explain the environment variables",
		Long:  "List the environment variables. " + precedence,
		Example: `  acqnp help environment
  ACQNP_DEVICE=cpu ACQNP_TRAIN_STEPS=2000 acqnp train --config configs/lissajous/acqnp.yaml`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error { return a.result(variables, writeVariables) }),
	}
}

// writeVariables writes the variables for a terminal.
func writeVariables(w io.Writer) error {
	var b strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&b, "%-19s %s\n", v.Name, wrapped(v.Help, 20))
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", &b, precedence)
	return err
}
