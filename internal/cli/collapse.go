package cli

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
)

// warnOfCollapse warns if the levels of a model with a plain adaptor coincide.
func warnOfCollapse(ctx context.Context, t predict.Trained, source predict.Source, p progress.Reporter) error {
	if m := t.Model.Config(); m.Name != "acqnp" || m.AdaptorForm == config.Residual {
		return nil
	}
	span, err := t.LevelSpan(ctx, source)
	if err == nil && span < predict.Collapsed {
		p.Warn(fmt.Sprintf("the quantile levels coincide: the τ of a point span %.2g (the median of evaluation batch 0; "+
			"spread levels span up to 0.998), so that the mixture has one shape. "+
			"Train longer, or with model.adaptor_form: residual", span))
	}
	return err
}
