package config

// Postprocessing is what is done to the network's predictions after training. It changes validation,
// evaluation and predictions; the loss of training does not know it. A run keeps it in its
// postprocessing.json; see package post.
type Postprocessing struct {
	TailDF     float64   `yaml:"tail_df,omitempty" json:"tail_df,omitempty"`              // see likelihood.StudentTails
	SigmaScale float64   `yaml:"sigma_scale,omitempty" json:"sigma_scale,omitempty"`      // 0 means 1
	PoolWeight float64   `yaml:"pool_weight,omitempty" json:"pool_weight,omitempty"`      // of the mixed model of Data.Baseline, or the density of PoolKernel
	PoolKernel []float64 `yaml:"pool_kernel,flow,omitempty" json:"pool_kernel,omitempty"` // nil, or the widths of package kde
}

var postprocessingKeys = []entry{{
	name: "postprocessing.tail_df", former: "model.tail_df", models: gaussian, preset: none("0"),
	accepts: rule{"a number from 1 to 1000, or 0 for Gaussian tails", func(v any) bool { d := v.(float64); return d == 0 || 1 <= d && d <= 1000 }},
	help:    "Degrees of freedom of Student's t, whose tails predictions get; 0: Gaussian tails.",
}, {
	name: "postprocessing.sigma_scale", former: "model.sigma_scale", models: gaussian, preset: none("1"),
	accepts: rule{"a number from 0.1 to 10", func(v any) bool { s := v.(float64); return s == 0 || 0.1 <= s && s <= 10 }},
	help:    "Multiplies the network's σ in predictions; above 1, it widens predictions that are too sure.",
}, {
	name: "postprocessing.pool_weight", former: "model.pool_weight", models: encoding, preset: none("0"),
	accepts: rule{"a number from 0 to 0.9", func(v any) bool { w := v.(float64); return 0 <= w && w <= 0.9 }},
	help:    "Weight, in predictions, of a simple model beside the network: the mixed model of data.baseline or the kernel of postprocessing.pool_kernel. For one column of y.",
}, {
	name: "postprocessing.pool_kernel", former: "model.pool_kernel", models: encoding, accepts: kernelWidths, preset: none("none"),
	help: "Widths in x and in y, in the model's units, of a kernel density of the context, the simple model of postprocessing.pool_weight.",
}}
