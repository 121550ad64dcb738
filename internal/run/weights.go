package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// weightsFormat marks weights that acqnp exported. Files from PyTorch do not have it.
const weightsFormat = "acqnp.weights/1"

// headsKey is the metadata entry of exported weights that holds the number of heads of a
// transformer, also of one that reads groups. No
// tensor's shape depends on it.
const headsKey = "heads"

// formKey is the metadata entry of exported weights that holds model.scale_form, which no tensor shows.
// Weights that acqnp exported without it have the paper's.
const formKey = "scale_form"

// configurationKey is the metadata entry of exported weights that holds the section model of the configuration as JSON:
// what a reader outside this program needs to compute the model.
const configurationKey = "configuration"

// WriteWeights writes params, the model's flat vector [NumParams], to a safetensors file under the
// names of the authors' state_dict. units, unless nil, go to the file's metadata.
func WriteWeights(path string, m *models.Model, params []float32, units *Units) error {
	configuration, err := m.Config().JSON()
	if err != nil {
		return err
	}
	meta := map[string]string{"format": weightsFormat, "model": m.Name(), configurationKey: string(configuration)}
	if units != nil {
		text, err := json.Marshal(units.columns())
		if err != nil {
			return err
		}
		meta[unitsKey] = string(text)
	}
	if c := m.Config(); c.Aggregation == config.Transformer || c.Aggregation == config.Groups {
		meta[headsKey] = strconv.Itoa(c.Heads)
	}
	if m.Natural() {
		meta[formKey] = config.NaturalScale
	}
	return files.Write(path, func(w io.Writer) error {
		return safetensors.Write(w, meta, split(m, "", params))
	})
}

// ReadWeights reads weights under the names of the authors' state_dict into a flat vector
// [NumParams] in the layout of m.Tensors. They are F32, or F64, which it rounds. It returns an
// *invalid.Input that names the file and the tensor if the file does not hold exactly this model's
// weights.
func ReadWeights(path string, m *models.Model) ([]float32, error) {
	r, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return WeightsIn(r, path, m)
}

// WeightsIn is ReadWeights for an open file. path is its name in errors.
func WeightsIn(r *safetensors.Reader, path string, m *models.Model) ([]float32, error) {
	if err := checkExported(r, path); err != nil {
		return nil, err
	}
	if name, ok := r.Metadata()["model"]; ok && name != m.Name() {
		return nil, &invalid.Input{File: path, Found: "weights of model " + name, Expected: "those of model " + m.Name()}
	}
	if err := checkTensors(r, path, m, all, ""); err != nil {
		return nil, err
	}
	if err := checkHeads(r, path, m); err != nil {
		return nil, err
	}
	if err := checkScale(r, path, m); err != nil {
		return nil, err
	}
	params := make([]float32, m.NumParams())
	return params, join(r, path, m.Tensors(), "", params)
}

// checkExported refuses checkpoints.
func checkExported(r *safetensors.Reader, path string) error {
	if r.Metadata()["format"] == checkpointFormat {
		return &invalid.Input{File: path, Found: "a checkpoint", Expected: "weights, as acqnp export writes them"}
	}
	return nil
}

// checkHeads refuses attention with another number of heads than the model's.
func checkHeads(r *safetensors.Reader, path string, m *models.Model) error {
	if heads, ok := r.Metadata()[headsKey]; ok && heads != strconv.Itoa(m.Config().Heads) {
		return &invalid.Input{File: path, Found: "weights of attention with " + heads + " heads",
			Expected: fmt.Sprintf("%d heads (model.heads)", m.Config().Heads)}
	}
	return nil
}

// all is the part of a model that has all its tensors.
func all(string) bool { return true }

// tensorsOf returns the model's tensors whose names belong to the part.
func tensorsOf(m *models.Model, part func(name string) bool) []ops.Tensor {
	return slices.DeleteFunc(slices.Clone(m.Tensors()), func(t ops.Tensor) bool { return !part(t.Name) })
}

// checkScale compares the form of the scale that the weights were trained with to the model's.
func checkScale(r *safetensors.Reader, path string, m *models.Model) error {
	form, ok := r.Metadata()[formKey]
	if !ok && r.Metadata()["format"] == weightsFormat {
		form = config.PaperScale
	}
	if own := m.Config().ScaleForm; form != "" && m.Natural() != (form == config.NaturalScale) {
		return &invalid.Input{File: path, Key: "model.scale_form", Found: "weights trained with " + form, Expected: "those of a model with " + cmp.Or(own, config.PaperScale)}
	}
	return nil
}

// checkTensors compares a file's header with a part of the model's tensors under each of the prefixes:
// names, shapes and types. The file has no other tensors that belong to the part.
func checkTensors(r *safetensors.Reader, path string, m *models.Model, part func(name string) bool, prefixes ...string) error {
	model := config.Experiment{Model: m.Config()}.Named()
	known := map[string]bool{}
	for _, prefix := range prefixes {
		for _, t := range tensorsOf(m, part) {
			name := prefix + t.Name
			known[name] = true
			spec, ok := r.Spec(name)
			bad := invalid.Input{File: path, Key: name, Expected: fmt.Sprintf("shape %v of model %s", t.Shape, model)}
			switch {
			case !ok:
				bad.Found = "no such tensor"
			case !slices.Equal(spec.Shape, t.Shape):
				bad.Found = fmt.Sprintf("shape %v", spec.Shape)
			case spec.DType != safetensors.Float32 && spec.DType != safetensors.Float64:
				bad.Found, bad.Expected = "type "+string(spec.DType), "F32 or F64"
			default:
				continue
			}
			return &bad
		}
	}
	for _, name := range r.Names() {
		if part(name) && !known[name] {
			spec, _ := r.Spec(name)
			return &invalid.Input{File: path, Key: name, Found: fmt.Sprintf("a tensor of shape %v", spec.Shape),
				Expected: "no tensor of this name in model " + model}
		}
	}
	return nil
}

// split cuts a flat vector into the model's tensors and puts the prefix before their names.
func split(m *models.Model, prefix string, flat []float32) []safetensors.Tensor {
	var ts []safetensors.Tensor
	for _, t := range m.Tensors() {
		ts = append(ts, safetensors.F32(prefix+t.Name, t.Shape, flat[t.Offset:t.Offset+t.Size()]))
	}
	return ts
}

// join reads tensors of a model, whose names in the file have the prefix, into its flat vector.
// checkTensors must have passed before. It refuses NaN and infinities.
func join(r *safetensors.Reader, path string, tensors []ops.Tensor, prefix string, flat []float32) error {
	for _, t := range tensors {
		read, err := r.Read(prefix + t.Name)
		if err != nil {
			return err
		}
		dst := flat[t.Offset : t.Offset+t.Size()]
		if err := float32s(read, dst); err != nil {
			return err
		}
		if i := engine.FirstNonFinite(dst); i >= 0 {
			return &invalid.Input{File: path, Key: read.Name, Found: fmt.Sprintf("%v at element %d", dst[i], i),
				Expected: "finite numbers"}
		}
	}
	return nil
}

// float32s copies an F32 or F64 tensor to dst. A float64 beyond float32's range becomes an
// infinity, which join refuses.
func float32s(t safetensors.Tensor, dst []float32) error {
	if t.DType == safetensors.Float64 {
		wide, err := t.Float64s()
		for i, v := range wide {
			dst[i] = float32(v)
		}
		return err
	}
	v, err := t.Float32s()
	copy(dst, v)
	return err
}
