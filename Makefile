# Everything CI does is a target here; `make` alone lists them.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# The packages with goroutines.
RACE = ./internal/atomicfile ./internal/cli ./internal/engine/... ./internal/feed ./internal/predict ./internal/progress ./internal/train

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

build: ## one static program, ./acqnp
	CGO_ENABLED=0 go build -trimpath -o acqnp ./cmd/acqnp

test: ## all tests
	go test ./...

race: ## the packages with goroutines under the race detector (needs cgo and a C compiler)
	CGO_ENABLED=1 go test -race -short $(RACE)

lint: ## gofmt, go vet, staticcheck; imports one way are a test of internal/layers
	@test -z "$$(gofmt -l .)" || { gofmt -l . | sed 's/^/gofmt would change: /'; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...

fuzz: ## every fuzz test for FUZZTIME, such as 1m or 5000x
	sh scripts/fuzz.sh $(or $(FUZZTIME),10s)

golden: ## make internal/golden/testdata anew with PyTorch (Debian: python3-torch)
	/usr/bin/python3 tools/golden/golden.py internal/golden/testdata

.PHONY: help build test race lint fuzz golden
