package cli_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"strings"
	"testing"
)

// benched is the output of bench --json.
type benched struct {
	Device      string  `json:"device"`
	Threads     int     `json:"threads"`
	Steps       int     `json:"steps"`
	RowsPerStep float64 `json:"rows_per_step"`
	RowsPerS    float64 `json:"rows_per_s"`
	Median      float64 `json:"ms_median"`
	Min         float64 `json:"ms_min"`
	PeakMiB     float64 `json:"peak_mib"`
	FLOPsPerRow float64 `json:"flops_per_row"`
	GFLOPs      float64 `json:"gflops"`
	PeakGFLOPs  float64 `json:"peak_gflops"`
	PeakShare   float64 `json:"peak_share"`
}

// bench runs the command and checks that its numbers are present and consistent.
func bench(t *testing.T, args ...string) (b benched) {
	t.Helper()
	o := succeed(t, append([]string{"bench", "--json", "--quiet"}, args...)...)
	d := json.NewDecoder(strings.NewReader(o.out))
	if err := d.Decode(&b); err != nil {
		t.Fatalf("%v: %s", err, o.out)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Errorf("more than one object: %s", o.out)
	}
	for _, key := range []string{"rows_per_s", "ms_median", "ms_min", "peak_mib", "flops_per_row", "gflops", "peak_share", "device"} {
		if !strings.Contains(o.out, `"`+key+`":`) {
			t.Errorf("no %s in %s", key, o.out)
		}
	}
	same := func(what string, got, want float64) {
		if !(want > 0) || !(math.Abs(got-want) <= 1e-9*want) { // float64 rounding
			t.Errorf("%s: %g, want %g, in %s", what, got, want, o.out)
		}
	}
	same("gflops", b.GFLOPs, b.RowsPerS*b.FLOPsPerRow/1e9)
	same("peak_share", b.PeakShare, b.GFLOPs/b.PeakGFLOPs)
	if !strings.HasPrefix(b.Device, "cpu") || !(b.Min > 0) || !(b.Median >= b.Min) || !(b.PeakMiB > 1) || !(b.RowsPerS*(1-1e-9) <= 1e3*b.RowsPerStep/b.Min) {
		t.Errorf("%s", o.out)
	}
	return b
}

func TestBenchAtAFixedNumberOfPoints(t *testing.T) {
	config, dir := share(t).config, t.TempDir()
	t.Chdir(dir)
	b := bench(t, "--config", config, "--points", "9", "--steps", "4", "--threads", "2", "--set", "train.batch_size=3")
	if b.RowsPerStep != 3*9*4 || b.Steps != 4 || b.Threads != 2 {
		t.Errorf("%+v", b)
	}
	// Multiply-adds of width 8 with 4 points of context: r per group into ψ and decoder, x per
	// point, the level per row (u in ψ, τ and u in the decoder, with gradient), their last layers;
	// the encoder per context point. Layers on data have no gradient by their input.
	perGroup, perPoint, perRow, perContext := 2*3*64, 2*2*8, (2+2*3)*8+3*(8+24), 2*16+3*64
	want := 2 * float64(perGroup+9*perPoint+9*4*perRow+4*perContext) / (9 * 4)
	if !(math.Abs(b.FLOPsPerRow-want) <= 1e-9*want) {
		t.Errorf("%g FLOP a row, want %g", b.FLOPsPerRow, want)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("bench left files: %v %v", left, err)
	}
	// More context than eval.max_context, which bench does not use.
	if b := bench(t, "--config", config, "--points", "50", "--steps", "1"); b.RowsPerStep != 4*50*4 || b.Min != b.Median {
		t.Errorf("%+v", b)
	}
}

func TestBenchOfEveryModel(t *testing.T) {
	for model, levels := range map[string]float64{
		"{name: cnp, representation: 8, encoder: [8], decoder: [8]}":                                                    1,
		"{name: canp, representation: 8, encoder: [8], decoder: [8], key_encoder: [8], query_encoder: [8], heads: 2}":   1,
		"{name: bnp, width: 8, pre_depth: 2, post_depth: 2, decoder_depth: 3, train_bootstraps: 3, eval_bootstraps: 2}": 3,
	} {
		b := bench(t, "--config", otherModel(t, t.TempDir(), model), "--steps", "3")
		if points := b.RowsPerStep / (4 * levels); points < 6 || points > 12 { // as drawn, in groups of 6 to 12
			t.Errorf("%s: %g points on average", model, points)
		}
	}
}
