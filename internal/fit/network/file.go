package network

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/acqnp/acqnp/internal/fit/simple"
)

// saved is a Network in a file.
type saved[M any] struct {
	Base   M          `json:"base"`
	Centre []float64  `json:"centre"`
	Width  []float64  `json:"width"`
	Params parameters `json:"params"`
}

// MarshalJSON writes the network with its base.
func (m *Network) MarshalJSON() ([]byte, error) {
	return json.Marshal(saved[simple.Model]{m.Base, m.Centre, m.Width, m.Params})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Network) UnmarshalJSON(content []byte) error {
	s := saved[*simple.GP]{Base: new(simple.GP)}
	if err := json.Unmarshal(content, &s); err != nil {
		return err
	}
	if s.Base == nil {
		return errDamaged
	}
	m.Base, m.Centre, m.Width, m.Params = s.Base, s.Centre, s.Width, s.Params
	return nil
}

// parameters are the weights of a network in a file: float32, little endian, in base64.
type parameters []float32

// MarshalText implements encoding.TextMarshaler.
func (p parameters) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, 4*len(p))
	for _, v := range p {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return base64.StdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *parameters) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	*p = nil
	for ; len(raw) >= 4; raw = raw[4:] {
		*p = append(*p, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return nil
}

// Name is the name of the model in a file and in tables.
const Name = "network"

// Read reads what MarshalJSON writes.
func Read(content []byte) (simple.Model, error) {
	m := new(Network)
	return m, json.Unmarshal(content, m)
}
