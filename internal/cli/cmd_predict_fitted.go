package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/post"
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

// isFitted reports whether a directory is what acqnp fit writes.
func isFitted(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, predict.FittedFile))
	return dir != "" && err == nil
}

// runPredictFitted predicts with what acqnp fit wrote. Intervals and regions are calibrated.
func runPredictFitted(ctx context.Context, a *app, o predictOptions) error {
	for flag, given := range map[string]bool{"--plot": o.plot != "", "--joint": o.joint} {
		if given {
			return &invalid.Input{File: flag, Found: "a directory of acqnp fit", Expected: "none of it: pictures and joint draws are of networks alone, in this version"}
		}
	}
	if err := o.checkColumns(); err != nil {
		return err
	}
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}, filepath.Join(o.Run, predict.FittedFile), o.context, o.targets); err != nil {
		return err
	}
	f, err := predict.ReadFitted(o.Run)
	if err != nil {
		return err
	}
	layout := f.Layout()
	read := predict.FunctionFiles{Context: o.context, Targets: o.targets, Grid: o.grid, Layout: &layout}
	functions, err := read.Read()
	if err != nil {
		return err
	}
	table := predict.Table{Names: predict.Names{XNames: f.X, XText: layout.XText, YNames: f.Y, Functions: functions},
		Levels: o.quantiles, Masses: o.hdr, Density: o.densityAt, Draws: o.draws, Seed: predict.FittedSeed, Threads: o.cores()}
	if o.given("seed") {
		table.Seed = o.seed
	}
	p := a.progress()
	if !o.raw {
		table.Calibrated = calibrationOf(f)
		if err := table.CheckCalibration(); err != nil {
			p.Warn("intervals are those of the mixture, not calibrated: " + err.Error())
			table.Calibrated = nil
		}
	}
	targets := predict.CountTargets(functions, len(f.X))
	if err := table.CheckSize(targets); err != nil {
		return err
	}
	if err := table.Write(o.out, predict.Shown(p, targets, f.Predict(ctx, functions))); err != nil {
		return err
	}
	s := &predictSummary{Out: o.out, Functions: len(functions), Targets: targets, Weights: filepath.Join(o.Run, predict.FittedFile)}
	return a.result(s, s.print)
}

// calibrationOf returns the calibration of each column of y.
func calibrationOf(f predict.Fitted) *post.Calibration {
	c := &post.Calibration{Exchangeable: "group"}
	if f.Stacks[0].ByPoint {
		c.Exchangeable = "point"
	}
	for i, one := range f.Calibrations() {
		c.Channels = append(c.Channels, post.ChannelCalibration{Channel: f.Y[i], Calibration: one})
	}
	return c
}
