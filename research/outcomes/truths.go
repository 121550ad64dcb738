package main

import (
	"math"
	"math/rand/v2"
)

// A truth is a process that draws groups: y depends on x, from 0 to 1, and on what is the group's own.
type truth struct {
	name string
	// at returns the law of y at x in a group whose own numbers are standard normal.
	at   func(x float64, own []float64) law
	own  int     // numbers of a group, 0 if the exact answer is not known
	step float64 // y is a multiple of it, and log that of a probability; 0 for any number
}

// A law is a distribution of y. log is that of its density or, of whole numbers and atoms, probability.
type law struct {
	draw func(r *rand.Rand) float64
	log  func(y float64) float64
}

// truths are the processes, by what is measured on them.
var truths = map[string][]truth{
	"ends": {
		grades("grades 1 to 5", 1, 5, 3, 1, 1),
		grades("grades 1 to 7, high", 1, 7, 6, 1, 1.5),
		halves(grades("marks of 100, most 99 and 100", 0, 100, 98.6, 0.6, 0.9)),
		grades("marks of 100, most 99 and 100, whole", 0, 100, 98.6, 0.6, 0.9),
		slider("slider, 99 and 100", 95, 15, 20),
		slider("slider, 99 and 100, wide", 85, 40, 60),
		halves(grades("halves from 1 to 5", 2, 10, 7, 1, 2)),
		counts("Poisson, mean 1", 0, 0.4, 0, 0),
		counts("Poisson, mean 3", 1.1, 0.4, 0, 0),
		counts("negative binomial, mean 1", 0, 0.4, 0, 1.5),
		counts("Poisson, mean 0.3", -1.2, 0.4, 0, 0),
		grades("rounded normal", math.Inf(-1), math.Inf(1), 10, 1, 1),
		halves(grades("normal in halves", math.Inf(-1), math.Inf(1), 10, 1, 1)),
		grades("rounded normal, fine", math.Inf(-1), math.Inf(1), 50, 5, 8),
	},
	"heaps": {
		rounded("sliders of 100, 30% to 10", grades("", 0, 100, 60, 12, 15), always(0.3, 10)),
		rounded("sliders of 100, people to 10", grades("", 0, 100, 60, 12, 15), some(10)).owning(2),
		rounded("blood pressure, digits", grades("", math.Inf(-1), math.Inf(1), 125, 12, 10), always(0.5, 10, 0.3, 2)),
		rounded("ages, 40% to 5", grades("", 0, math.Inf(1), 45, 12, 8), always(0.4, 5)),
		rounded("ages, all to 5", grades("", 0, math.Inf(1), 45, 12, 8), always(1, 5)),
		grades("no heaps: sliders", 0, 100, 60, 12, 15),
		grades("no heaps: rounded normal", math.Inf(-1), math.Inf(1), 50, 5, 8),
		grades("no heaps: marks of 20", 0, 20, 15, 3, 4),
		counts("no heaps: Poisson, mean 5", 1.6, 0.5, 0, 0),
		counts("no heaps: Poisson, mean 20", 3, 0.3, 0, 0),
		counts("no heaps: negative binomial, mean 15", 2.7, 0.5, 0, 2),
	},
	"lines": {
		line("lines", 0.5, nil, 0),
		line("lines, steep", 2, nil, 0),
		line("curves", 0.5, func(x float64) float64 { return 2 * math.Sin(9*x) }, 0),
		line("t noise", 0.5, nil, 3),
		line("curves, t noise", 0.5, func(x float64) float64 { return 2 * math.Sin(9*x) }, 3),
	},
	"counts": {
		counts("Poisson, mean 0.3", -1.2, 0.5, 0, 0),
		counts("Poisson, mean 1", 0, 0.5, 0, 0),
		counts("Poisson, mean 5", 1.6, 0.5, 0, 0),
		counts("Poisson, mean 30", 3.4, 0.3, 0, 0),
		counts("Poisson, mean 1, slopes", 0, 0.5, 0.5, 0),
		counts("negative binomial, mean 0.5", -0.7, 0.5, 0, 2),
		counts("negative binomial, mean 2", 0.7, 0.5, 0, 2),
		counts("negative binomial, mean 5, slopes", 1.6, 0.5, 0.5, 2),
		counts("negative binomial, mean 40", 3.7, 0.3, 0, 5),
		grades("no counts: rounded normal", math.Inf(-1), math.Inf(1), 10, 1, 1),
		grades("no counts: marks 0 to 10", 0, 10, 7, 1.5, 2),
	},
	"names": {
		binary("two names, levels", 0, 1.2, 0, 0),
		binary("two names, slopes", 0, 1, 1.5, 0),
		binary("two names, one rare", -2.5, 1, 0, 0),
		binary("two names, waves", 0, 1, 0, 2),
	},
	"parts": {
		hurdle("half zeros", 0, 1.5, 0.6),
		hurdle("few zeros", 1.5, 1, 0.6),
		hurdle("many zeros", -1, 1, 0.6),
		hurdle("zeros of groups", 0, 3, 0.4),
		tobit("tobit", 0.3, 1, 1),
		tobit("tobit, many zeros", -0.5, 0.7, 1),
	},
}

func logNormal(z float64) float64 { return -0.5*z*z - 0.5*math.Log(2*math.Pi) }
func phi(z float64) float64       { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// grades are rounded normal numbers, cut at both ends.
func grades(name string, low, high, mean, group, noise float64) truth {
	return truth{name: name, own: 1, step: 1, at: func(x float64, own []float64) law {
		m := mean + group*own[0] + noise*(x-0.5)
		return law{
			func(r *rand.Rand) float64 { return min(max(math.Round(m+noise*r.NormFloat64()), low), high) },
			func(y float64) float64 {
				a, b := (y-0.5-m)/noise, (y+0.5-m)/noise
				if y == low {
					a = math.Inf(-1)
				}
				if y == high {
					b = math.Inf(1)
				}
				if a > 0 {
					a, b = -b, -a
				}
				return math.Log(phi(b) - phi(a))
			}}
	}}
}

// slider has marks of 100, of which half come out as 99.
func slider(name string, mean, group, noise float64) truth {
	t := grades(name, 0, 100, mean, group, noise)
	of := t.at
	t.at = func(x float64, own []float64) law {
		l := of(x, own)
		return law{
			func(r *rand.Rand) float64 {
				if y := l.draw(r); y < 100 || r.Float64() < 0.5 {
					return y
				}
				return 99
			},
			func(y float64) float64 {
				switch y {
				case 100:
					return l.log(100) - math.Ln2
				case 99:
					return math.Log(math.Exp(l.log(99)) + math.Exp(l.log(100))/2)
				}
				return l.log(y)
			}}
	}
	return t
}

// always says of which share of the answers is rounded to what step.
func always(pairs ...float64) func([]float64) []float64 {
	return func([]float64) []float64 { return pairs }
}

// some says that most people always or never round to a step.
func some(step float64) func([]float64) []float64 {
	return func(own []float64) []float64 { return []float64{1 / (1 + math.Exp(1.5-4*own[1])), step} }
}

// owning returns the process with this many numbers of a group.
func (t truth) owning(own int) truth {
	t.own = own
	return t
}

// rounded are whole numbers of which shares are rounded to steps. What these are may depend on a number of the group.
func rounded(name string, t truth, pairs func(own []float64) []float64) truth {
	of := t.at
	t.name = name
	t.at = func(x float64, own []float64) law {
		l, p := of(x, own), pairs(own)
		return law{
			func(r *rand.Rand) float64 {
				y, u := l.draw(r), r.Float64()
				for i := 0; i < len(p); i += 2 {
					if u -= p[i]; u < 0 {
						return math.Round(y/p[i+1]) * p[i+1]
					}
				}
				return y
			},
			func(y float64) float64 {
				plain, sum := 1.0, 0.0
				for i := 0; i < len(p); i += 2 {
					share, step := p[i], p[i+1]
					plain -= share
					for v := y - step/2; v <= y+step/2 && y == math.Round(y/step)*step; v++ {
						if z := math.Ceil(v); math.Round(z/step)*step == y {
							sum += share * math.Exp(l.log(z))
						}
					}
				}
				return math.Log(sum + max(plain, 0)*math.Exp(l.log(y)))
			}}
	}
	return t
}

// halves are half of whole numbers.
func halves(t truth) truth {
	of := t.at
	t.step, t.at = 0.5, func(x float64, own []float64) law {
		l := of(x, own)
		return law{func(r *rand.Rand) float64 { return l.draw(r) / 2 }, func(y float64) float64 { return l.log(2 * y) }}
	}
	return t
}

// counts are Poisson's or, with a shape, negative binomial.
func counts(name string, level, group, slope, shape float64) truth {
	t := truth{name: name, own: 1, step: 1}
	if slope > 0 {
		t.own = 2
	}
	t.at = func(x float64, own []float64) law {
		eta := level + group*own[0] + x - 0.5
		if slope > 0 {
			eta += slope * own[1] * 2 * (x - 0.5)
		}
		rate := math.Exp(eta)
		return law{
			func(r *rand.Rand) float64 {
				mean := rate
				if shape > 0 {
					mean *= gamma(r, shape) / shape
				}
				n, p := -1.0, 1.0
				for ; p > math.Exp(-mean); n++ {
					p *= r.Float64()
				}
				return n
			},
			func(y float64) float64 {
				factorial, _ := math.Lgamma(y + 1)
				if shape == 0 {
					return y*eta - rate - factorial
				}
				a, _ := math.Lgamma(y + shape)
				b, _ := math.Lgamma(shape)
				return a - b - factorial + shape*math.Log(shape/(shape+rate)) + y*math.Log(rate/(shape+rate))
			}}
	}
	return t
}

// binary is 1 with a probability that is logistic in a line, or in waves.
func binary(name string, level, group, slope, wave float64) truth {
	t := truth{name: name, own: 1, step: 1}
	if slope > 0 {
		t.own = 2
	}
	t.at = func(x float64, own []float64) law {
		eta := level + group*own[0] + 2*(x-0.5) + wave*math.Sin(9*x)
		if slope > 0 {
			eta += slope * own[1] * 2 * (x - 0.5)
		}
		p := 1 / (1 + math.Exp(-eta))
		return law{
			func(r *rand.Rand) float64 {
				if r.Float64() < p {
					return 1
				}
				return 0
			},
			func(y float64) float64 { return math.Log(y*p + (1-y)*(1-p)) },
		}
	}
	return t
}

// gamma draws a number of the gamma distribution (Marsaglia and Tsang, 2000).
func gamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(r, shape+1) * math.Pow(r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	for {
		z := r.NormFloat64()
		v := math.Pow(1+z/math.Sqrt(9*d), 3)
		if v > 0 && math.Log(r.Float64()) < 0.5*z*z+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// line has groups of their own level and slope about a line or a curve, with normal noise or that of Student's t.
func line(name string, slope float64, curve func(float64) float64, degrees float64) truth {
	return truth{name: name, own: 2, at: func(x float64, own []float64) law {
		m := 1 + x + own[0] + slope*own[1]*2*(x-0.5)
		if curve != nil {
			m += curve(x)
		}
		const noise = 0.5
		return law{
			func(r *rand.Rand) float64 {
				z := r.NormFloat64()
				if degrees > 0 {
					z /= math.Sqrt(gamma(r, degrees/2) * 2 / degrees)
				}
				return m + noise*z
			},
			func(y float64) float64 {
				z := (y - m) / noise
				if degrees == 0 {
					return logNormal(z) - math.Log(noise)
				}
				a, _ := math.Lgamma((degrees + 1) / 2)
				b, _ := math.Lgamma(degrees / 2)
				return a - b - 0.5*math.Log(degrees*math.Pi) - (degrees+1)/2*math.Log1p(z*z/degrees) - math.Log(noise)
			}}
	}}
}

// hurdle has zeros by a logistic regression, and log-normal amounts.
func hurdle(name string, level, group, amount float64) truth {
	return truth{name: name, own: 2, at: func(x float64, own []float64) law {
		p := 1 / (1 + math.Exp(-level-group*own[0]-2*(x-0.5)))
		m := 1 + amount*own[1] + x
		const noise = 0.5
		return law{
			func(r *rand.Rand) float64 {
				if r.Float64() > p {
					return 0
				}
				return math.Exp(m + noise*r.NormFloat64())
			},
			func(y float64) float64 {
				if y == 0 {
					return math.Log(1 - p)
				}
				return math.Log(p) + logNormal((math.Log(y)-m)/noise) - math.Log(noise*y)
			}}
	}}
}

// tobit has normal numbers, of which those below 0 are 0.
func tobit(name string, level, group, noise float64) truth {
	return truth{name: name, own: 1, at: func(x float64, own []float64) law {
		m := level + group*own[0] + x - 0.5
		return law{
			func(r *rand.Rand) float64 { return max(0, m+noise*r.NormFloat64()) },
			func(y float64) float64 {
				if y == 0 {
					return math.Log(phi(-m / noise))
				}
				return logNormal((y-m)/noise) - math.Log(noise)
			}}
	}}
}
