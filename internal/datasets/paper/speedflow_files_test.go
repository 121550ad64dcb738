package paper_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// rFile returns what R's save() writes for data frames with the columns flow and speed,
// uncompressed.
func rFile(names []string, lanes map[string][2][]float64) string {
	var b []byte
	ints := func(v ...int32) {
		for _, v := range v {
			b = binary.BigEndian.AppendUint32(b, uint32(v))
		}
	}
	text := func(s string) {
		ints(9, int32(len(s)))
		b = append(b, s...)
	}
	const tagged, attributes, end = 2 | 1<<10, 1 << 9, 254
	b = append(b, "RDX2\nX\n"...)
	ints(2, 0x40301, 0x20300)
	for _, name := range names {
		ints(tagged, 1)
		text(name)
		ints(19|attributes, 2)
		for _, column := range lanes[name] {
			ints(14, int32(len(column)))
			for _, v := range column {
				b = binary.BigEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
		ints(tagged, 1)
		text("names")
		ints(16, 2)
		text("flow")
		text("speed")
		ints(tagged, 1)
		text("class")
		ints(16, 1)
		text("data.frame")
		ints(end)
	}
	ints(end)
	return string(b)
}

func TestSpeedFlowFromRsFile(t *testing.T) {
	lanes := map[string][2][]float64{}
	for lane := range 2 { // the numbers of dataDir
		var columns [2][]float64
		for i := 1; i <= 40; i++ {
			flow := float64(10 * i * (lane + 1))
			columns[0], columns[1] = append(columns[0], flow), append(columns[1], flow/10+float64(lane))
		}
		lanes[fmt.Sprintf("lane%d", lane+2)] = columns
	}
	var want, got datasets.Batch
	must.Do(t, datatest.Open(t, speedFlow(), dataDir(t)).Train.Make(3, &want))
	// The order of the objects does not matter, and other objects are skipped.
	content := rFile([]string{"lane3", "maxtemp", "lane2"}, lanes)
	named, alone := speedFlow(), speedFlow()
	named.Data.Files = []string{"hdrcde.rda"}
	for _, e := range []config.Experiment{named, alone} {
		dir := t.TempDir()
		datatest.Put(t, filepath.Join(dir, "speed-flow", "hdrcde.rda"), content)
		must.Do(t, datatest.Open(t, e, dir).Train.Make(3, &got))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	missing := maps.Clone(lanes)
	missing["lane3"] = [2][]float64{{1, math.NaN()}, {1, 2}}
	for says, content := range map[string]string{
		"lane3: found no such data frame": rFile([]string{"lane2"}, lanes),
		"lane3$flow[2]: found NaN":        rFile([]string{"lane2", "lane3"}, missing),
	} {
		dir := t.TempDir()
		datatest.Put(t, filepath.Join(dir, "speed-flow", "hdrcde.rda"), content)
		datatest.Refused(t, named, dir, says)
	}
}
