// Package openapi tests what `acqnp serve` says of its API at /openapi.json: it is OpenAPI 3.1, and
// requests and answers are as it says.
package openapi
