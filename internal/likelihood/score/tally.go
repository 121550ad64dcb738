package score

import (
	"encoding/json"
	"math"
)

// bins is the number of bins of a histogram of PIT.
const bins = 20

// Means are means over outcomes, one for each target and channel, in raw units.
type Means struct {
	Targets    int       `json:"scored_targets"`
	LogDensity Estimate  `json:"log_density"`            // nats for each target and channel
	Impossible int       `json:"impossible_y,omitempty"` // outcomes of density 0, which LogDensity leaves out
	Limits     int       `json:"limits_y,omitempty"`     // outcomes of which a side of a limit is known, which all scores but LogDensity leave out
	CRPS       float64   `json:"crps"`
	Pinball    Pinball   `json:"pinball"`
	Coverage   Coverage  `json:"coverage"`
	PIT        []float64 `json:"pit"` // shares of 20 bins of equal width from 0 to 1
}

// Pinball holds the mean pinball losses at [Levels].
type Pinball struct {
	P05 float64 `json:"0.05"`
	P25 float64 `json:"0.25"`
	P50 float64 `json:"0.5"`
	P75 float64 `json:"0.75"`
	P95 float64 `json:"0.95"`
}

// fields returns the fields in the order of Levels.
func (p *Pinball) fields() [len(Levels)]*float64 {
	return [...]*float64{&p.P05, &p.P25, &p.P50, &p.P75, &p.P95}
}

// Coverage holds the shares of outcomes inside the central intervals of probability 0.5 and 0.9.
type Coverage struct {
	Half float64 `json:"0.5"`
	Most float64 `json:"0.9"`
}

// MarshalJSON implements [json.Marshaler]. Shares of no outcome are null.
func (c Coverage) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Half Number `json:"0.5"`
		Most Number `json:"0.9"`
	}{Number(c.Half), Number(c.Most)})
}

// Summary holds the means over all outcomes and over parts of them.
type Summary struct {
	Means
	// Joint is the log density of all outcomes of a group together, for each target and channel; nil
	// if it was not asked for. Its error is that over groups.
	Joint      *Estimate `json:"joint_log_density,omitempty"`
	PerChannel []Channel `json:"per_channel,omitempty"` // nil for a single channel
	PerGroup   []Group   `json:"per_group"`             // in the order in which they were added
}

// Channel holds the means over the outcomes of one channel.
type Channel struct {
	Channel string `json:"channel"`
	Means
}

// Group holds the means over the outcomes of one group.
type Group struct {
	Group      string   `json:"group"`
	Points     int      `json:"points"` // targets
	LogDensity Number   `json:"log_density"`
	Impossible int      `json:"impossible_y,omitempty"`
	Limits     int      `json:"limits_y,omitempty"`
	Joint      *float64 `json:"joint_log_density,omitempty"` // for each target and channel
	CRPS       Number   `json:"crps"`
	Coverage   Coverage `json:"coverage"`
}

// A Tally sums points. Its memory grows with the number of groups, not with that of points.
type Tally struct {
	channels []string
	all      []sums // of each channel
	spread   []running
	together running // of the mean log density over the channels of a target
	count    int     // of targets
	groups   []*group
	index    map[string]*group
}

// A group holds the sums of one group, for each channel.
type group struct {
	name     string
	count    int // of targets
	channels []sums
	joint    float64 // log density of all its outcomes together; NaN if unknown
}

// NewTally returns an empty tally of points with these channels.
func NewTally(channels []string) *Tally {
	n := len(channels)
	return &Tally{channels: channels, all: make([]sums, n), spread: make([]running, n), index: map[string]*group{}}
}

// Add adds the points of one target: one for each channel, all of the same group.
func (t *Tally) Add(target []Point) {
	name := target[0].Group
	f := t.index[name]
	if f == nil {
		f = &group{name: name, channels: make([]sums, len(t.channels)), joint: math.NaN()}
		t.index[name], t.groups = f, append(t.groups, f)
	}
	var mean running // over the channels
	for c, p := range target {
		f.channels[c].add(p)
		t.all[c].add(p)
		if !p.Impossible() {
			t.spread[c].add(p.LogDensity, p.times())
			mean.add(p.LogDensity, 1)
		}
	}
	if mean.n > 0 {
		t.together.add(mean.mean, target[0].times())
	}
	t.count++
	f.count++
}

// AddJoint sets the log density of all outcomes of a group together. Add must have added its targets.
func (t *Tally) AddJoint(name string, logDensity float64) { t.index[name].joint = logDensity }

// Summary returns the means. There must be at least one target.
func (t *Tally) Summary() Summary {
	s := Summary{Means: t.means(total(t.all), t.together, 0, len(t.channels))}
	if len(t.channels) > 1 {
		for c, name := range t.channels {
			s.PerChannel = append(s.PerChannel, Channel{name, t.means(t.all[c], t.spread[c], c, c+1)})
		}
	}
	var joint []cluster
	for _, f := range t.groups {
		all := total(f.channels)
		g := Group{Group: f.name, Points: f.count, Impossible: all.impossible, Limits: all.limits,
			LogDensity: Number(all.logDensity / all.dense), CRPS: Number(all.crps / all.n), Coverage: all.coverage()}
		if !math.IsNaN(f.joint) {
			mean := f.joint / all.n
			g.Joint, joint = &mean, append(joint, cluster{f.joint, all.n})
		}
		s.PerGroup = append(s.PerGroup, g)
	}
	if len(joint) > 0 {
		e := estimate(joint)
		s.Joint = &e
	}
	return s
}

// means returns the means of sums over the channels from first to last−1. With several groups,
// the error is that of means over independent groups, otherwise that over independent targets.
func (t *Tally) means(all sums, targets running, first, last int) Means {
	m := all.means()
	m.Targets, m.LogDensity = t.count, targets.estimate()
	if len(t.groups) > 1 {
		var clusters []cluster
		for _, f := range t.groups {
			s := total(f.channels[first:last])
			clusters = append(clusters, cluster{s.logDensity, s.dense})
		}
		m.LogDensity = estimate(clusters)
	}
	return m
}

// sums are sums over points.
type sums struct {
	n, logDensity, crps float64 // n: of outcomes that are known themselves
	dense               float64 // those of n with a density, which logDensity is of
	impossible          int     // the others, whatever their weights
	limits              int     // outcomes of which a side is known, whatever their weights
	half, most          float64 // points in the central intervals of 50% and 90%
	pinball             [len(Levels)]float64
	pit                 [bins]float64
}

func (s *sums) add(p Point) {
	times := p.times()
	if p.Impossible() {
		s.impossible++
	} else {
		s.dense += times
		s.logDensity += times * p.LogDensity
	}
	if p.Side != 0 {
		s.limits++
		return
	}
	s.n += times
	s.crps += times * p.CRPS
	if p.inside(0.5) {
		s.half += times
	}
	if p.inside(0.9) {
		s.most += times
	}
	for i, v := range p.Pinball {
		s.pinball[i] += times * v
	}
	s.pit[min(int(p.PIT*bins), bins-1)] += times
}

// total returns the sum of sums.
func total(all []sums) (t sums) {
	for _, s := range all {
		t.n, t.logDensity, t.crps = t.n+s.n, t.logDensity+s.logDensity, t.crps+s.crps
		t.dense, t.impossible, t.limits = t.dense+s.dense, t.impossible+s.impossible, t.limits+s.limits
		t.half, t.most = t.half+s.half, t.most+s.most
		for i, v := range s.pinball {
			t.pinball[i] += v
		}
		for i, v := range s.pit {
			t.pit[i] += v
		}
	}
	return t
}

func (s sums) coverage() Coverage { return Coverage{s.half / s.n, s.most / s.n} }

func (s sums) means() Means {
	m := Means{Impossible: s.impossible, Limits: s.limits, CRPS: s.crps / s.n, Coverage: s.coverage(), PIT: make([]float64, bins)}
	for i := range s.pit {
		m.PIT[i] = s.pit[i] / s.n
	}
	for i, field := range m.Pinball.fields() {
		*field = s.pinball[i] / s.n
	}
	return m
}
