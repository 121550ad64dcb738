package submit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Apply passes the objects to kubectl, for a server-side apply. A client-side apply would keep a copy in
// an annotation, which holds at most 256 KiB. A job of this name must not exist: the same name means
// the same plan, and a Job cannot be changed or started again.
func (m Manifest) Apply(ctx context.Context) error {
	var namespace []string
	if m.Namespace != "" {
		namespace = []string{"--namespace", m.Namespace}
	}
	found, err := kubectl(ctx, nil, append(namespace, "get", "job", m.Name, "--ignore-not-found", "--output", "name")...)
	if err != nil {
		return err
	}
	if found != "" {
		remove := strings.Join(append([]string{"kubectl"}, append(namespace, "delete", "job", m.Name)...), " ")
		return &invalid.Input{Found: "the cluster has the job " + m.Name + " of this plan already. To start again what is missing or failed: " + remove + ", then submit"}
	}
	_, err = kubectl(ctx, m.YAML, "apply", "--server-side", "-f", "-")
	return err
}

// kubectl runs kubectl and returns what it prints. An error has what kubectl said on standard
// error.
func kubectl(ctx context.Context, stdin []byte, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "kubectl", args...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	stdout, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", &invalid.Input{Found: "there is no kubectl in PATH; --dry-run prints what it would apply", Cause: err}
	}
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, messages(stderr.String()))
	}
	return strings.TrimSpace(string(stdout)), nil
}

// logged matches lines of kubectl's log, which repeat its messages at each retry.
var logged = regexp.MustCompile(`^[IWEF]\d{4} `)

// messages returns kubectl's messages on one line, each once.
func messages(stderr string) string {
	var all []string
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(line); line != "" && !logged.MatchString(line) && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return strings.Join(all, "; ")
}
