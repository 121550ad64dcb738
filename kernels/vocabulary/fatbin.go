//go:build gpu

package vocabulary

import _ "embed"

// Fatbin is the compiled kernels, which `make fatbins` writes.
//
//go:embed vocabulary.fatbin
var Fatbin []byte
