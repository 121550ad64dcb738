// Package figures draws figures as PNG, SVG and PDF.
//
// A [Figure] has a method Save, which takes the format from the extension of the file. Functions such as
// [NewPrediction], [NewSheet] and [NewTraining] return one. These types are figures of given data:
//
//	FitPlot      predictions for given contexts, a panel for each group
//	MapPlot      predictions over two columns of x: the median, and the width of an interval
//	Effects      what the columns of a fit do
//
// What else a figure draws, such as those of research, goes into a [Panel] as a [Mark], or onto the canvas of [Save].
//
// A Calibration draws SVG for a page instead: the PIT histogram and the reliability.
//
// A [Run] is a trained run that a figure shows. Predictions are shown as densities:
// each place has the shade of the smallest highest-density region of y around it. The shading is one
// image, whatever the number of points. Equal figures give equal files. All numbers are in raw units,
// those of the data.
package figures
