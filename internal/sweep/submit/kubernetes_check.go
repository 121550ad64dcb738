package submit

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

var (
	dnsLabel     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	dnsSubdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// check refuses what the API server or the pods would refuse.
func (k Kubernetes) check(p *plan.Plan) error {
	for _, c := range []struct {
		flag, value, expected string
		ok                    bool
	}{
		{"--image", k.Image, "the name of an image, such as registry.example.org/acqnp-cuda:1", k.Image != "" && !strings.ContainsAny(k.Image, " \t\r\n")},
		{"--namespace", k.Namespace, "a namespace: at most 63 of a-z, 0-9 and -", k.Namespace == "" || len(k.Namespace) <= 63 && dnsLabel.MatchString(k.Namespace)},
		{"--queue", k.Queue, "a LocalQueue of Kueue: at most 63 of a-z, 0-9, - and .", k.Queue == "" || len(k.Queue) <= 63 && dnsSubdomain.MatchString(k.Queue)},
		{"--claim", k.Claim, "a PersistentVolumeClaim: at most 253 of a-z, 0-9, - and .", len(k.Claim) <= 253 && dnsSubdomain.MatchString(k.Claim)},
		{"--per-job", strconv.Itoa(k.PerJob), "a number of runs from 1 to 100000", k.PerJob >= 1 && k.PerJob <= plan.MaxRuns},
		{"--limit", strconv.Itoa(k.Limit), "a number of pods of at least 0 (0: no limit)", k.Limit >= 0},
		{"--gpus", strconv.Itoa(k.GPUs), "a number of GPUs from 0 to 64", k.GPUs >= 0 && k.GPUs <= 64},
	} {
		if !c.ok {
			return &invalid.Input{File: c.flag, Found: strconv.Quote(c.value), Expected: c.expected}
		}
	}
	if dir := onClaim(p.Dir); inPod(p.Dir) == workDir || dir == "" || dir == dataDir || !mountable(dir) {
		return &invalid.Input{File: p.File, Key: "runs", Found: p.Dir, Expected: "a folder of its own without colons and control characters, such as sweeps/mine: pods mount it from the claim"}
	}
	return nil
}
