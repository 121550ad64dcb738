package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/acqnp/acqnp/internal/input"
)

// environment names the flags that the environment may set too: --data-dir is ACQNP_DATA_DIR, and so on.
var environment = []string{"data-dir", "device", "threads", "quiet", "json"}

func variable(flag string) string {
	return "ACQNP_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets the flags that were left out from the environment. The flag's own parser judges the value.
func fromEnvironment(flags *pflag.FlagSet) error {
	v := viper.New()
	for _, name := range environment {
		f := flags.Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		if err := v.BindEnv(name, variable(name)); err != nil {
			return err
		}
		if !v.IsSet(name) {
			continue
		}
		if err := f.Value.Set(v.GetString(name)); err != nil {
			return &input.Error{File: variable(name), Found: strconv.Quote(os.Getenv(variable(name))),
				Expected: "what --" + name + " takes"}
		}
	}
	return nil
}

// settings are the flags of every command that computes.
type settings struct {
	dataDir string
	device  string
	threads int
}

func (s *settings) addFlags(cmd *cobra.Command) {
	s.addDataDir(cmd)
	cmd.Flags().StringVar(&s.device, "device", "auto", "`WHERE` to compute: auto, cpu or cuda[:N]")
	cmd.Flags().IntVar(&s.threads, "threads", 0, "threads of the engine; 0 for all cores")
	must(cmd.RegisterFlagCompletionFunc("device", cobra.FixedCompletions(
		[]string{"auto", "cpu", "cuda"}, cobra.ShellCompDirectiveNoFileComp)))
}

func (s *settings) addDataDir(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.dataDir, "data-dir", "data", "`DIR` of the data sets")
	must(cmd.MarkFlagDirname("data-dir"))
}

var cudaDevice = regexp.MustCompile(`^cuda(:[0-9]{1,3})?$`)

// check settles the device: auto becomes the one that is used.
func (s *settings) check() error {
	switch {
	case s.device == "auto":
		s.device = "cpu"
	case s.device == "cpu":
	case cudaDevice.MatchString(s.device):
		return fmt.Errorf("--device %s: this build has no CUDA engine; use --device cpu or --device auto", s.device)
	default:
		return &input.Error{File: "--device", Found: strconv.Quote(s.device), Expected: "auto, cpu or cuda[:N]"}
	}
	return checkRange("--threads", s.threads, 0, maxThreads)
}

// cores is how many threads the engine uses.
func (s *settings) cores() int {
	if s.threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return s.threads
}

// deviceText is the device in words: "cpu with 2 threads".
func (s *settings) deviceText() string {
	return s.device + " with " + plural(s.cores(), "thread", "threads")
}

// maxThreads is far above any machine's cores and keeps a slip of the hand from starting a million goroutines.
const maxThreads = 4096

// checkRange refuses a number outside lo..hi.
func checkRange(flag string, v, lo, hi int) error {
	if v < lo || v > hi {
		return &input.Error{File: flag, Found: strconv.Itoa(v), Expected: fmt.Sprintf("%d to %d", lo, hi)}
	}
	return nil
}

// checkOutput refuses a result whose directory is not there, before any work is done for it. An empty path is none.
func checkOutput(flag, path string) error {
	if path == "" {
		return nil
	}
	bad := func(found string) error {
		return &input.Error{File: flag, Found: found, Expected: "a file in a directory that exists"}
	}
	dir := filepath.Dir(path)
	switch info, err := os.Stat(dir); {
	case err != nil:
		return bad("no directory " + dir)
	case !info.IsDir():
		return bad(dir + ", which is no directory")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return bad("the directory " + path)
	}
	return nil
}

// must is for calls that only a programming error can make fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
