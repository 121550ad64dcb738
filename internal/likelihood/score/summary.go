package score

// bins is the number of bins of a histogram of PIT.
const bins = 20

// Means are means over outcomes, one for each target and channel, in raw units.
type Means struct {
	Targets    int       `json:"scored_targets"`
	LogDensity Estimate  `json:"log_density"` // nats for each target and channel
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

// Summary holds the means over all outcomes and over parts of them.
type Summary struct {
	Means
	// Joint is the log density of all outcomes of a function together, for each target and channel; nil
	// if it was not asked for. Its error is that over functions.
	Joint       *Estimate  `json:"joint_log_density,omitempty"`
	PerChannel  []Channel  `json:"per_channel,omitempty"` // nil for a single channel
	PerFunction []Function `json:"per_function"`          // in the order in which they were added
}

// Channel holds the means over the outcomes of one channel.
type Channel struct {
	Channel string `json:"channel"`
	Means
}

// Function holds the means over the outcomes of one function.
type Function struct {
	Function   string   `json:"function"`
	Points     int      `json:"points"` // targets
	LogDensity float64  `json:"log_density"`
	Joint      *float64 `json:"joint_log_density,omitempty"` // for each target and channel
	CRPS       float64  `json:"crps"`
	Coverage   Coverage `json:"coverage"`
}
