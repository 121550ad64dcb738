package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

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
