package stack

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// The number of folds, and the fewest groups for which folds are of groups and not of points.
const (
	folds        = 5
	fewestGroups = 4
)

// Bounds of the questions. At most mostGroups groups, and no more than there may be questions, are asked
// about; they are drawn at random. Each gets as many questions as mostQuestions or Options.Questions
// allows, at least one and at most mostRounds for each of contextSizes. All sizes are asked equally often.
// Of 30 groups, a second round takes a quarter of the deviation of what calibrated intervals of 50% hold.
const (
	mostQuestions = 1000
	mostRounds    = 2
	mostGroups    = 1000
	mostTargets   = 10   // of a question
	mostAsked     = 1000 // points in all, if folds are of points
)

// mostContext bounds the context points that models see. Of a larger context, they see this many points,
// evenly spread over its order.
const mostContext = 1000

// contextSizes are the sizes of the questions' contexts. A group gets only sizes below its number of
// points. −1 stands for four fifths of the points.
var contextSizes = []int{0, 1, 3, 10, -1}

// spans are the smallest contexts of the spans. Weights are chosen for each span separately. The spans lie
// around the sizes in contextSizes.
var spans = [...]int{0, 1, 2, 6, 26}

// spanOf returns the span of a context of n points.
func spanOf(n int) (span int) {
	for span+1 < len(spans) && n >= spans[span+1] {
		span++
	}
	return span
}

// A question asks for the points of a group that a fold holds out, given a context of the group.
type question struct {
	points.Question
	fold, group int
	first       int // of its targets among those of all questions
}

// A target is a point that a question asks for.
type target struct {
	fold  int
	known int     // points of the context
	span  int     // of the context
	y     float64 // in the units of models; see outcome
	side  int8    // on which y lies of this limit, as points.Points.Censored has it
	row   int     // points.Points.Rows
	// factor is that of y from the units of models to those of the data, in which scores are stated.
	factor float64
	unit   int     // the group or, if points are exchangeable, the target itself: units are counted from 0
	share  float64 // of the unit: all its questions count the same, and so do all targets of a question
}

// units returns the units of the data.
func (t target) units() likelihood.Units { return likelihood.Units{Factor: t.factor} }

// outcome returns y of target i in the units of the data. A whole number is that again.
func (s *split) outcome(i int) float64 {
	y := s.targets[i].y * s.targets[i].factor
	if whole := math.Round(y); s.Outcome.Whole && (s.targets[i].side == 0 || math.Abs(y-whole) < 1e-9*math.Abs(y)) { // a limit need not be one
		y = whole
	}
	return y
}

// A split is the data cut into folds: for each fold, the groups that models are fitted to, and the
// questions about the rest.
type split struct {
	byPoint   bool
	groups    int
	held      map[int]int               // the fold that holds out each point, by points.Points.Rows
	training  [folds + 1][]points.Group // the last is whole
	questions []question
	targets   []target                     // of all questions, in their order
	view                                   // missing cells of training and questions are filled
	weighted  bool                         // rows have weights
	units     int                          // groups that are asked about, or points
	most      int                          // questions that are allowed
	column    int                          // Options.Column
	beyonds   [][2]beyond                  // view.Beyonds without each fold; nil if no y is censored
	drawn     [folds + 1][2][]points.Group // training with draws for censored y on each scale; nil if no y is censored
	alone     bool                         // questions have no context
}

// newSplit cuts the groups into folds: outer groups, if there are enough. With fewer than four groups it cuts the points
// of each.
func newSplit(groups []points.Group, o Options) *split {
	seed := o.Seed
	s := &split{byPoint: FoldsAreOfPoints(len(groups)), groups: len(groups), most: cmp.Or(o.Questions, mostQuestions), view: view{Filling: fillingOf(groups), LogY: logYOf(groups)}, held: map[int]int{}}
	s.training[folds] = groups
	of := foldsOf(groups, seed)
	for i, g := range groups {
		for k, row := range g.Rows {
			s.held[row] = of[i][k]
		}
	}
	var without [folds][folds][]float64
	if o.Coder != nil {
		s.Coding, without = codingOf(o.Coded, o.Coder, s.held)
	}
	s.cut(groups, of, seed)
	for k := range s.training {
		s.training[k] = s.Filling.training(s.Coding.codeTraining(s.training[k], k, without, s.held))
	}
	s.LogX = logColumns(s.training[folds], o.coded())
	return s
}

// cut cuts the groups, of whose points the folds are given, and asks about them.
func (s *split) cut(groups []points.Group, of [][]int, seed uint64) {
	if s.byPoint {
		s.cutPoints(groups, of, seed)
	} else {
		s.cutGroups(groups, of, seed)
	}
	for i := range s.questions {
		q := &s.questions[i]
		if s.alone {
			q.Known = q.Known.Cut(0, 0)
		}
		q.Known, q.Targets = s.Filling.fill(s.Coding.code(q.Known, q.fold), s.Coding.code(q.Targets, q.fold))
		q.Known.Weights = nil // as those of a prediction
	}
	slices.SortStableFunc(s.questions, func(a, b question) int { return a.fold - b.fold })
	s.listTargets()
}

// FoldsAreOfPoints reports whether points of so many groups are held out, and not groups.
func FoldsAreOfPoints(groups int) bool { return groups < fewestGroups }

// FoldsAreOfOuter reports whether groups are held out by outer group.
func FoldsAreOfOuter(groups []points.Group) bool {
	different := map[string]bool{}
	for _, g := range groups {
		different[g.Outer] = true
	}
	return !different[""] && len(different) >= fewestGroups
}

// placed returns the groups in the order in which they go to the folds, and the place of each in the order: groups in
// the same outer group have the same place, if folds are of these.
func placed(groups []points.Group, seed uint64) (order, places []int) {
	g := random.New(seed, random.Validation)
	if !FoldsAreOfOuter(groups) {
		return g.Order(0, len(groups)), points.Spread(len(groups), len(groups))
	}
	of := map[string][]int{}
	var names []string
	for i, g := range groups {
		if of[g.Outer] == nil {
			names = append(names, g.Outer)
		}
		of[g.Outer] = append(of[g.Outer], i)
	}
	for place, k := range g.Order(0, len(names)) {
		for _, i := range of[names[k]] {
			order, places = append(order, i), append(places, place)
		}
	}
	return order, places
}

// foldsOf returns the fold that holds out each point of the groups, [n] of each.
func foldsOf(groups []points.Group, seed uint64) [][]int {
	of := make([][]int, len(groups))
	if FoldsAreOfPoints(len(groups)) {
		for i, g := range groups {
			of[i] = make([]int, g.Len())
			for place, k := range random.New(seed, random.Validation).Order(uint64(i), g.Len()) {
				of[i][k] = place % folds
			}
		}
		return of
	}
	order, places := placed(groups, seed)
	for k, i := range order {
		of[i] = slices.Repeat([]int{places[k] % folds}, groups[i].Len())
	}
	return of
}

func (s *split) cutGroups(groups []points.Group, of [][]int, seed uint64) {
	g := random.New(seed, random.Validation)
	order, _ := placed(groups, seed)
	each := min(max(s.most/len(groups), 1), mostRounds*len(contextSizes))
	for n, i := range order {
		held := slices.Max(of[i]) // points that a sample left out have fold 0
		for k := range folds {
			if held != k {
				s.training[k] = append(s.training[k], groups[i])
			}
		}
		if n < min(mostGroups, s.most) {
			s.askAbout(groups, i, n, held, each, g)
		}
	}
}

// others returns the other groups in the outer group of group i.
func others(groups []points.Group, i int) (all []points.Points) {
	if groups[i].Outer == "" {
		return nil
	}
	for k, g := range groups {
		if k != i && g.Outer == groups[i].Outer {
			all = append(all, g.Points)
		}
	}
	return all
}

// askAbout adds at most each questions about group i, whose place in the shuffled order is place. Every other one knows
// the rows of the other groups in its outer group too.
func (s *split) askAbout(groups []points.Group, i, place, fold, each int, g random.Generator) {
	group, beside := groups[i], others(groups, i)
	order := make([]int, group.Len())
	sizes := contextSizes
	for len(sizes) > 1 && (sizes[len(sizes)-1] < 0 && len(order) <= 11 || sizes[len(sizes)-1] >= len(order)) {
		sizes = sizes[:len(sizes)-1]
	}
	for n := range min(each, mostRounds*len(sizes)) {
		round := n / len(sizes)
		n = (place/folds + n) % len(sizes)
		size := sizes[n]
		if size < 0 {
			size = max(len(order)*4/5, 11)
		}
		if round > 0 && size == 0 && len(order) <= mostTargets {
			continue // all points have been asked for
		}
		g.Perm(uint64(1+(round*len(groups)+i)*len(contextSizes)+n), order)
		q := points.Question{Known: group.Take(order[:size]).Thin(mostContext), Targets: group.Take(order[size:min(len(order), size+mostTargets)])}
		if (place/folds+n+round)%2 == 0 {
			q.Known = q.Known.WithSiblings(beside, simple.MostOfOuter)
		}
		s.questions = append(s.questions, question{Question: q, fold: fold, group: i})
	}
}

// cutPoints holds out a fifth of the points of each group in turn. The context of a question is all
// points that are not held out.
func (s *split) cutPoints(groups []points.Group, of [][]int, seed uint64) {
	g := random.New(seed, random.Validation)
	for k := range folds {
		for i, group := range groups {
			var held, kept []int
			for _, point := range g.Order(uint64(i), group.Len()) {
				if of[i][point] == k {
					held = append(held, point)
				} else {
					kept = append(kept, point)
				}
			}
			rest := points.Group{Outer: group.Outer, Points: group.Take(kept)}
			if len(kept) > 0 {
				s.training[k] = append(s.training[k], rest)
			}
			if held = held[:min(len(held), min(mostAsked, s.most)/folds/len(groups))]; len(held) > 0 {
				s.questions = append(s.questions, question{Question: points.Question{Known: rest.Thin(mostContext), Targets: group.Take(held)}, fold: k, group: i})
			}
		}
	}
}

// listTargets lists the targets of the questions.
func (s *split) listTargets() {
	questions, units := map[int]int{}, map[int]int{}
	for _, q := range s.questions {
		questions[q.group]++
	}
	for n := range s.questions {
		q := &s.questions[n]
		q.first = len(s.targets)
		known := q.Known.OfGroup().Len()
		for i, y := range q.Targets.Y {
			if q.Targets.Weights != nil {
				s.weighted = true
			}
			t := target{fold: q.fold, known: known, span: spanOf(known), y: y, side: q.Targets.Limit(i, 0), factor: 1, unit: len(s.targets), share: 1}
			if q.Targets.Factor != nil {
				t.factor = q.Targets.Factor[i]
			}
			if q.Targets.Rows != nil {
				t.row = q.Targets.Rows[i]
			}
			if !s.byPoint {
				if _, is := units[q.group]; !is {
					units[q.group] = len(units)
				}
				t.unit, t.share = units[q.group], 1/float64(len(q.Targets.Y)*questions[q.group])
			}
			s.targets = append(s.targets, t)
		}
	}
	if s.units = len(units); s.byPoint {
		s.units = len(s.targets)
	}
	if s.weighted {
		s.weigh()
	}
}

// weigh multiplies the shares of targets by their row weights. Groups count the same, as without weights: in each question
// of one, the weights say which targets count more. If folds are of points, the shares have a mean of 1.
func (s *split) weigh() {
	all := 0.0
	for _, q := range s.questions {
		all += floats.Sum(q.Targets.Weights)
	}
	for _, q := range s.questions {
		mean := floats.Sum(q.Targets.Weights) / float64(q.Targets.Len())
		if s.byPoint {
			mean = all / float64(len(s.targets))
		}
		for i, times := range q.Targets.Weights {
			s.targets[q.first+i].share *= times / mean
		}
	}
}

// sample draws groups with about most points in all. Of groups with many points it draws the same number of
// points each.
func sample(groups []points.Group, most int, seed uint64) []points.Group {
	total := 0
	for _, g := range groups {
		total += g.Len()
	}
	if total <= most {
		return groups
	}
	g := random.New(seed, random.Validation|random.Evaluation)
	var taken []points.Group
	each := max(most/min(len(groups), fewGroups), 1)
	for _, i := range g.Order(0, len(groups)) {
		group := groups[i]
		if n := group.Len(); n > each {
			group.Points = group.Take(g.Order(uint64(1+i), n)[:each])
		}
		if most -= group.Len(); most < 0 {
			break
		}
		taken = append(taken, group)
	}
	return taken
}

// fewGroups is the fewest groups in a sample, where the data have as many.
const fewGroups = 100
