// Command outcomes measures what fits lose to the exact answer on simulated groups of counts, grades, zeros, few groups and
// rounded answers, with and without a part of the program. Each data set is drawn anew, with 20 new groups to predict from
// 0 and 4 known points. It prints a row for each process and number of groups: of the data sets in which the part does
// something, the loss in nats a value without it, by how much it changes the loss, and their share. Rounded answers are
// those of all models, so only a mixed model predicts them without --full.
//
//	go run -C research ./outcomes --part counts
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/fit/pretrained"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/points"
)

// options are the flags.
type options struct {
	part, only string
	groups     []int
	each       int
	sets       int
	full       bool
	check      bool
}

func main() {
	var o options
	var groups string
	flag.StringVar(&o.part, "part", "ends", "ends, counts, parts, names, lines or heaps")
	flag.StringVar(&o.only, "only", "", "processes whose names contain it")
	flag.StringVar(&groups, "groups", "10,30", "numbers of groups")
	flag.IntVar(&o.each, "each", 10, "points of a group")
	flag.IntVar(&o.sets, "sets", 10, "data sets")
	flag.BoolVar(&o.full, "full", false, "all models, instead of those of fit --instant")
	flag.BoolVar(&o.check, "check", false, "only the share of data sets in which the part does something")
	flag.Parse()
	for _, v := range strings.Split(groups, ",") {
		n, err := strconv.Atoi(v)
		if err != nil {
			fmt.Fprintln(os.Stderr, "outcomes: --groups:", err)
			os.Exit(2)
		}
		o.groups = append(o.groups, n)
	}
	fmt.Println("process,groups,loss,loss ±,change,change ±,chosen")
	for _, t := range truths[o.part] {
		if !strings.Contains(t.name, o.only) {
			continue
		}
		for _, n := range o.groups {
			var losses, changes []float64
			var chosen float64
			for set := range o.sets {
				without, with, took := o.measure(t, n, uint64(set))
				if took > 0 && !o.check {
					losses, changes = append(losses, without), append(changes, with-without)
				}
				chosen += took / float64(o.sets)
			}
			loss, lossError := summary(losses)
			change, changeError := summary(changes)
			fmt.Printf("%q,%d,%.4f,%.4f,%.4f,%.4f,%.2f\n", t.name, n, loss, lossError, change, changeError, chosen)
		}
	}
}

func summary(v []float64) (mean, se float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		se += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(se / float64(max(len(v)-1, 1)) / float64(len(v)))
}

// draw draws groups of a process.
func draw(t truth, groups, each int, r *rand.Rand) (all []points.Group, owns [][]float64) {
	for i := range groups {
		g := points.Group{Name: strconv.Itoa(i), Points: points.Points{DX: 1, DY: 1}}
		own := make([]float64, max(t.own, 2))
		for k := range own {
			own[k] = r.NormFloat64()
		}
		for range each {
			x := r.Float64()
			g.X, g.Y = append(g.X, x), append(g.Y, t.at(x, own).draw(r))
			g.Rows = append(g.Rows, i*each+len(g.Rows))
		}
		all, owns = append(all, g), append(owns, own)
	}
	return all, owns
}

// measure returns the losses to the exact answer without and with the part, and whether it took part.
func (o options) measure(t truth, groups int, set uint64) (without, with, took float64) {
	r := rand.New(rand.NewPCG(set, uint64(groups)))
	all, _ := draw(t, groups, o.each, r)
	fresh, _ := draw(t, 20, o.each, r)
	old, now, took := o.options(all)
	if took == 0 || o.check {
		return math.NaN(), math.NaN(), took
	}
	return o.loss(t, all, fresh, old), o.loss(t, all, fresh, now), took
}

// names are the models that a part is about.
var names = map[string]string{"counts": stack.CountModel().Name, "parts": stack.HurdleModel().Name, "names": stack.LogisticModel().Name, "lines": stack.MixedModel().Name}

// options returns how to fit without and with the part.
func (o options) options(all []points.Group) (without, with stack.Options, took float64) {
	var y [][]float64
	for _, g := range all {
		y = append(y, g.Y)
	}
	outcome, err := stack.OutcomeOf(y, "")
	if err != nil {
		panic(err)
	}
	kinds := []stack.Kind{stack.MixedModel(), pretrained.Kind(800), stack.CountModel(), stack.LogisticModel(), stack.HurdleModel()}
	if o.full {
		kinds = file.Kinds
	}
	with = stack.Options{Threads: 1, Outcome: outcome, Kinds: stack.For(all, kinds), Questions: 150}
	without = with
	without.Kinds = slices.DeleteFunc(slices.Clone(with.Kinds), func(k stack.Kind) bool { return k.Name == names[o.part] })
	took = float64(len(with.Kinds) - len(without.Kinds))
	switch o.part {
	case "ends":
		s, lines, err := with.Settle(context.Background(), all)
		if err != nil {
			panic(err)
		}
		if os.Getenv("SHOW") != "" {
			fmt.Println(outcome, lines)
		}
		with.Outcome, took = s, min(1, float64(len(lines)))
	case "heaps":
		if !o.full {
			with.Kinds = with.Kinds[:1] // heaps are those of all models
		}
		with.Outcome, _, err = with.Settle(context.Background(), all)
		without.Kinds, without.Outcome = with.Kinds, with.Outcome
		var line string
		if err == nil {
			with.Heaps, line, err = with.Heap(context.Background(), all)
		}
		if err != nil {
			panic(err)
		}
		if os.Getenv("SHOW") != "" {
			fmt.Println(with.Outcome, line)
		}
		if took = 0; with.Heaps != nil {
			took = 1
		}
	}
	return without, with, took
}

// loss returns the mean loss of a fit on fresh groups.
func (o options) loss(t truth, all, fresh []points.Group, how stack.Options) float64 {
	s, err := stack.Fit(context.Background(), all, how)
	if err != nil {
		panic(err)
	}
	sum, n := 0.0, 0.0
	for _, g := range fresh {
		for _, known := range []int{0, 4} {
			q := points.Question{Known: g.Cut(0, known), Targets: g.Cut(5, g.Len())}
			said, err := s.Predict(context.Background(), nil, stack.Reading{Question: q})
			if err != nil {
				panic(err)
			}
			exact := t.exact(q)
			for i, d := range said {
				y := q.Targets.Y[i]
				log := d.LogDensity(y)
				if t.step > 0 && !d.Support().Whole { // the probability of the number
					a, b := y-t.step/2, y+t.step/2
					p := d.CDF(b) - d.CDF(a)
					if d.CDF(a) > 0.5 {
						p = d.Survival(a) - d.Survival(b)
					}
					log = math.Log(p)
				}
				sum, n = sum+exact[i]-max(log, -50), n+1
			}
		}
	}
	return sum / n
}

// nodes are those of a sum over a standard normal, and their log weights.
func nodes() (at, logs []float64) {
	for z := -4.5; z < 4.51; z += 0.15 {
		at, logs = append(at, z), append(logs, logNormal(z)+math.Log(0.15))
	}
	return at, logs
}

// exact returns the log density of each target given the known points, by a sum over the group's own numbers.
func (t truth) exact(q points.Question) []float64 {
	at, logs := nodes()
	var owns [][]float64
	var priors []float64
	for i, a := range at {
		if t.own == 1 {
			owns, priors = append(owns, []float64{a, 0}), append(priors, logs[i])
			continue
		}
		for k, b := range at {
			owns, priors = append(owns, []float64{a, b}), append(priors, logs[i]+logs[k])
		}
	}
	for i, own := range owns {
		for k, y := range q.Known.Y {
			priors[i] += t.at(q.Known.Row(k)[0], own).log(y)
		}
	}
	whole := logSum(priors)
	out := make([]float64, q.Targets.Len())
	for k, y := range q.Targets.Y {
		joint := slices.Clone(priors)
		for i, own := range owns {
			joint[i] += t.at(q.Targets.Row(k)[0], own).log(y)
		}
		out[k] = logSum(joint) - whole
	}
	return out
}

func logSum(v []float64) float64 {
	most := slices.Max(v)
	sum := 0.0
	for _, x := range v {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum)
}
