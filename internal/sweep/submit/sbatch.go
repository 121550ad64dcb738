package submit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Sbatch gives a script to sbatch, on its standard input, and returns sbatch's line about the job.
func Sbatch(ctx context.Context, script string) (string, error) {
	cmd := exec.CommandContext(ctx, "sbatch")
	cmd.Stdin = strings.NewReader(script)
	return output(cmd)
}

var maxArraySize = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`)

// MaxArraySize asks scontrol for the length of the longest array. It is an error if there is no
// scontrol, and if the cluster takes no arrays.
func MaxArraySize(ctx context.Context) (int, error) {
	text, err := output(exec.CommandContext(ctx, "scontrol", "show", "config"))
	if err != nil {
		return 0, err
	}
	found := maxArraySize.FindStringSubmatch(text)
	if found == nil {
		return 0, errors.New("scontrol show config: no MaxArraySize")
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n == 0 {
		return 0, fmt.Errorf("scontrol show config: MaxArraySize is %s: the cluster takes no job arrays", found[1])
	}
	return n, nil
}

// output runs a program of Slurm and returns what it prints. Its error has the program's own message.
func output(cmd *exec.Cmd) (string, error) {
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", &invalid.Input{Found: "there is no " + cmd.Args[0] + " in PATH; --dry-run prints what Slurm would get", Cause: err}
	}
	if err != nil {
		if said := strings.TrimSpace(stderr.String()); said != "" {
			name := cmd.Args[0] + ": "
			return "", errors.New(name + strings.ReplaceAll(strings.TrimPrefix(said, name), "\n", "; "))
		}
		return "", fmt.Errorf("%s: %w", cmd.Args[0], err)
	}
	return strings.TrimSpace(out.String()), nil
}
