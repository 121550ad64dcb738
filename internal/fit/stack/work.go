package stack

// Work returns about how much work it takes to predict so many targets beside so many known points, in evaluations of a
// component of a distribution, some tens of nanoseconds. Most of it goes into the factors of matrices of the points, and
// into models that say themselves what they take.
func (s *Stack) Work(known, targets int) float64 {
	span, points := spanOf(known), float64(min(known, mostContext))
	all := 25_000 + 30*points*points + float64(targets)*(500+30*points)
	for _, c := range s.Candidates {
		for _, m := range c.Models {
			if c.Weights[span] > 0 {
				all += m.Model.Work(known, targets)
			}
		}
	}
	return all
}
