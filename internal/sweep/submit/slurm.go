// Package submit writes what a scheduler of a cluster reads to train the runs of a plan.
package submit

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// Slurm says how the runs of a plan become a job array.
type Slurm struct {
	PerJob  int      // runs of an element of the array
	Limit   int      // elements that run at a time; 0: as many as the cluster gives
	Program string   // shell words that start acqnp
	Dir     string   // the working directory, an absolute path
	Environ []string // the environment, of which the script sets the variables ACQNP_*
	Flags   []string // further flags of sbatch; they override those of the script
}

// MaxElements is Slurm's MaxArraySize if slurm.conf does not set it.
const MaxElements = 1001

// Logs returns the folder of the jobs' output. sbatch does not make it.
func (s *Slurm) Logs(p *plan.Plan) string {
	if filepath.IsAbs(p.Dir) {
		return filepath.Join(p.Dir, "slurm")
	}
	return filepath.Join(s.Dir, p.Dir, "slurm")
}

// Script returns the sbatch script for the runs of a plan. open lists the indices of the runs that
// are not done; only elements with one of them become part of the array. There must be one.
func (s *Slurm) Script(p *plan.Plan, open []int) (string, error) {
	if err := s.check(p); err != nil {
		return "", err
	}
	name := strings.TrimSuffix(filepath.Base(p.File), filepath.Ext(p.File))
	logs := strings.ReplaceAll(s.Logs(p), "%", "%%")
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/bash\n# %d of %d runs of a plan, %d in each element of an array. Written by acqnp sweep submit --slurm.\n",
		len(open), len(p.Runs), s.PerJob)
	for _, option := range append([]string{
		"--job-name=acqnp-" + name,
		"--array=" + s.elements(open),
		"--chdir=" + s.Dir,
		"--output=" + filepath.Join(logs, "%A_%a.log"),
		"--open-mode=append",
		"--requeue",
		// Slurm may gather --gpus=2 from two nodes, and srun would start acqnp on both.
		"--nodes=1",
		"--ntasks=1",
		// Without B: the signal goes to the step, which is acqnp, and the shell lives to requeue.
		"--signal=TERM@120",
	}, s.Flags...) {
		fmt.Fprintf(&b, "#SBATCH %s\n", sbatchWord(option))
	}
	for _, variable := range s.Environ {
		if key, value, is := strings.Cut(variable, "="); is && strings.HasPrefix(key, "ACQNP_") {
			fmt.Fprintf(&b, "export %s=%s\n", key, invalid.ShellWord(value))
		}
	}
	fmt.Fprintf(&b, body, s.PerJob, s.PerJob-1, len(p.Runs)-1, s.Program, invalid.ShellWord(p.File))
	return b.String(), nil
}

// body follows the options. A shell that caught SIGTERM would survive scancel and requeue a job that
// its user has cancelled. Without a trap it dies, and --signal does not reach it.
const body = `
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then
	export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK # srun does not read sbatch's
fi
export GOMAXPROCS=${SLURM_CPUS_ON_NODE:-1}
first=$((SLURM_ARRAY_TASK_ID * %d))
last=$((first + %d < %[3]d ? first + %[2]d : %[3]d))
srun %[4]s sweep run %[5]s --indices "$first..$last"
status=$?
if [ "$status" -eq 130 ] || [ "$status" -eq 143 ]; then # 143: SIGTERM came before acqnp listened
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
`

// check refuses flags and paths that a script cannot hold.
func (s *Slurm) check(p *plan.Plan) error {
	for _, flag := range s.Flags {
		name, _, _ := strings.Cut(flag, "=")
		switch {
		case name == "--array" || strings.HasPrefix(flag, "-a"):
			return &invalid.Input{File: "flags of sbatch", Found: flag, Expected: "no array, which --per-job and --limit describe"}
		case name == "--wrap":
			return &invalid.Input{File: "flags of sbatch", Found: flag, Expected: "no command, which is acqnp sweep run"}
		case strings.ContainsAny(flag, "\n\x00"):
			return &invalid.Input{File: "flags of sbatch", Found: "a line break", Expected: "flags without one"}
		}
	}
	for _, path := range []string{s.Dir, s.Logs(p)} {
		if strings.ContainsAny(path, "\\\n") {
			return &invalid.Input{File: path, Found: "a backslash or a line break in the path", Expected: "a path that Slurm can read"}
		}
	}
	return nil
}

// elements returns the numbers of the elements that hold open runs, as sbatch --array reads them.
func (s *Slurm) elements(open []int) string {
	var numbers []int
	for _, index := range open {
		numbers = append(numbers, index/s.PerJob)
	}
	list := ranges(slices.Compact(numbers))
	if s.Limit > 0 {
		list += fmt.Sprintf("%%%d", s.Limit)
	}
	return list
}

// ranges writes ascending numbers as 0-3,7.
func ranges(numbers []int) string {
	var b strings.Builder
	for i, n := range numbers {
		starts := i == 0 || numbers[i-1] != n-1
		ends := i+1 == len(numbers) || numbers[i+1] != n+1
		switch {
		case starts && i > 0:
			fmt.Fprintf(&b, ",%d", n)
		case starts:
			fmt.Fprint(&b, n)
		case ends:
			fmt.Fprintf(&b, "-%d", n)
		}
	}
	return b.String()
}

// sbatchWord quotes a word for a line that starts with #SBATCH. There a backslash keeps the next
// character, within quotes too, and no character else is special within double quotes.
func sbatchWord(word string) string {
	if invalid.IsPlain(word) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
