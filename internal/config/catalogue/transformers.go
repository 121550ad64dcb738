package catalogue

// transformers are the functions on which transformer neural processes are measured: Hassan et al.
// (ICLR 2026), appendix D.2 for the data and D.5 for the evaluation. Rates are those of csv.
var transformers = []Benchmark{
	{
		Name: "tnp-sawtooth", Printed: "TNP Sawtooth", Kind: Synthetic, Unimodal: true,
		Description:  "noisy sawtooth waves, as for transformer neural processes",
		Settings:     transformerSettings(),
		Rates:        csv.Rates,
		AdaptorDepth: 5,
	},
	{
		Name: "tnp-gp", Printed: "TNP GP", Kind: Synthetic, Unimodal: true,
		Description:  "Gaussian processes of three kernels, as for transformer neural processes",
		MaxPoints:    gaussianPoints,
		Settings:     transformerSettings(),
		Rates:        csv.Rates,
		AdaptorDepth: 5,
	},
}

func transformerSettings() map[string]any {
	return map[string]any{"eval.contexts": []int{8, 16, 32, 64, 128}, "eval.max_context": 128}
}
