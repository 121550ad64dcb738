// Package figures draws figures as PNG, SVG and PDF.
//
// Each kind of figure is a type with a Save method, which takes the format from the extension of
// the file:
//
//	FitPlot      predictions for given contexts, a panel for each function
//	MapPlot      predictions over two columns of x: the median, and the width of an interval
//	IntervalPlot predictions for more columns of x, by their medians
//	Sheet        panels in rows and columns: the paper's figures 1 to 3
//	Completion   images completed from some of their pixels
//	Training     loss and learning rate by step
//	Ablation     log-likelihoods by one varied number
//
// A Calibration draws SVG for a page instead: the PIT histogram, the reliability and the coverage of
// each function.
//
// A [Run] is a trained run that a figure shows. Functions such as [NewPrediction] predict with its
// model and return a [Figure]. Predictions are shown as densities: each place has the shade of the
// smallest highest-density region of y around it. The shading is one image, whatever the number of
// points. Equal figures give equal files. All numbers are in raw units, those of
// the data.
package figures
