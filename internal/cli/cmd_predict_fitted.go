package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// runArgument takes the directory of a run as an argument, as --run does.
func runArgument(cmd *cobra.Command, args []string) error {
	if err := cobra.MaximumNArgs(1)(cmd, args); err != nil || len(args) == 0 {
		return err
	}
	if cmd.Flags().Changed("run") {
		return &invalid.Input{File: "--run", Found: "it and the argument " + args[0], Expected: "one of them"}
	}
	return cmd.Flags().Set("run", args[0])
}

// isFitted reports whether a directory is what acqnp fit writes, also before it has ended.
func isFitted(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fit.File))
	return dir != "" && (err == nil || fit.Unfinished(dir))
}

// rawOfNetwork is the error of --raw for a trained network.
func rawOfNetwork() error {
	return &invalid.Input{File: "--raw", Found: "it for a trained network", Expected: "a directory of acqnp fit; networks are calibrated with --use-calibration alone"}
}

// openFitted checks the outputs, and reads what acqnp fit wrote and the functions to predict. It
// returns the calibration, nil with --raw or if it is of too few groups for what check asks.
func (o *requestFlags) openFitted(raw bool, check func(*conformal.Calibration) error) (asked predict.Asked, c *conformal.Calibration, err error) {
	for _, check := range []func() error{o.streams, o.settings.check} {
		if err := check(); err != nil {
			return asked, nil, err
		}
	}
	if o.given("num-quantiles") {
		return asked, nil, &invalid.Input{File: "--num-quantiles", Found: "a directory of acqnp fit", Expected: "a trained network with quantile levels"}
	}
	if o.given("precision") {
		return asked, nil, &invalid.Input{File: "--precision", Found: "a directory of acqnp fit", Expected: "a trained network: a fit computes in one precision"}
	}
	outputs := []output.File{{Flag: "--out", Path: o.out}, {Flag: "--plot", Path: o.plot}}
	if err := o.app.checkOutputs(outputs, filepath.Join(o.Run, fit.File), o.context, o.targets); err != nil {
		return asked, nil, err
	}
	f, err := fit.Read(o.Run)
	if err != nil {
		return asked, nil, err
	}
	asked.Predictor, asked.Layout = f, f.Layout()
	asked.Layout.Warnings = &o.app.warnings
	read := predict.FunctionFiles{Context: o.context, Targets: o.targets, Grid: o.grid, Layout: &asked.Layout, Scored: o.scored}
	if asked.Functions, asked.Others, err = read.Read(); err != nil {
		return asked, nil, err
	}
	if err := f.CheckScored(o.targets, asked.Functions); err != nil {
		return asked, nil, err
	}
	asked.Warn(asked.Functions, asked.Layout.XText, &o.app.warnings)
	defer o.app.warn()
	if raw {
		return asked, nil, nil
	}
	c = f.Calibrated()
	if err := check(c); err != nil {
		o.app.warnings.Add("intervals are those of the mixture, not calibrated: %v", err)
		c = nil
	}
	return asked, c, nil
}

// runPredictFitted predicts with what acqnp fit wrote. Intervals and regions are calibrated.
func runPredictFitted(ctx context.Context, a *app, o predictOptions) error {
	for _, check := range []func() error{o.checkPlot, o.checkColumns} {
		if err := check(); err != nil {
			return err
		}
	}
	table := o.table(fit.DrawSeed)
	if o.given("seed") {
		table.Seed = o.seed
	}
	asked, calibrated, err := o.openFitted(o.raw, func(c *conformal.Calibration) error {
		table.Calibrated = c
		return table.CheckCalibration()
	})
	if err != nil {
		return err
	}
	table.Names, table.Calibrated = predict.NamesOf(&asked), calibrated
	targets := asked.CountTargets()
	if err := table.CheckSize(targets); err != nil {
		return err
	}
	predictions := asked.Predict(ctx, asked.Functions)
	if o.joint {
		predictions = predict.WithJointDraws(ctx, asked.Predictor, asked.Functions, predict.JointDraws{Number: o.draws, Seed: table.Seed}, predictions)
	}
	if err := table.Write(o.out, predict.Shown(a.progress(), targets, predictions)); err != nil {
		return err
	}
	if err := o.draw(ctx, &asked, figures.Options{Calibrated: calibrated}); err != nil {
		return err
	}
	s := o.summary(&asked)
	return a.result(s, s.print)
}

// runScoreFitted scores what acqnp fit wrote.
func runScoreFitted(ctx context.Context, a *app, o scoreOptions) error {
	if o.calibrate {
		return &invalid.Input{File: "--run", Found: "a directory of acqnp fit", Expected: "a trained network for --calibrate: fit has calibrated its intervals"}
	}
	if err := o.checkPlot(); err != nil {
		return err
	}
	asked, calibrated, err := o.openFitted(o.raw, func(*conformal.Calibration) error { return nil })
	if err != nil {
		return err
	}
	s, err := o.score(ctx, &asked, predict.Scores{Calibrated: calibrated})
	if err != nil {
		return err
	}
	return a.result(s, s.print)
}
