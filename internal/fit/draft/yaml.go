package draft

import "strings"

// YAML returns the configuration as a commented file. head are the lines of a comment at its start.
func (r Result) YAML(head []string) ([]byte, error) {
	lines := append(head, "", "Validation ends the training, and the best weights are kept.")
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "\n", " ")
	}
	return r.Experiment.Commented(strings.Join(lines, "\n"))
}
