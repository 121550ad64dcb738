# `make` lists the targets. Everything else that CI does is a part of .ci/nightly, or a script.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# The packages whose tests run the CUDA engine, on the host emulation or on a GPU.
ENGINE = ./kernels/... ./internal/engine/cuda/... ./internal/test/kernels
# The GPUs with machine code. Later GPUs compile the PTX of the last when a program starts.
ARCHS ?= 75 80 86 89 90
# The CUDA toolkit: CUDA 11.8 or later, its nvcc in PATH unless CUDA_HOME names a toolkit's folder.
ifdef CUDA_HOME
export PATH := $(CUDA_HOME)/bin:$(PATH)
TOOLKIT = -I$(CUDA_HOME)/include
endif
INCLUDE = -I$(CURDIR)/kernels/gpu/cu/include $(TOOLKIT)
GPU = CGO_ENABLED=1 CGO_CFLAGS="-O2 -g $(INCLUDE)" CGO_LDFLAGS="-L$(CURDIR)/bin/stubs -Wl,--no-as-needed -lpthread -ldl"
GPUTAGS = gpu,netgo,osusergo
FATBINS = $(patsubst kernels/%.cu,kernels/fatbin/%.fatbin,$(wildcard kernels/*.cu))
VOCABULARY = $(patsubst %.cu,%.fatbin,$(wildcard kernels/vocabulary/*.cu))

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

build: ## one static program, ./acqnp
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o acqnp ./cmd/acqnp

test: ## all tests
	go test ./...

lint: ## gofmt, go vet, staticcheck, shellcheck (Debian: shellcheck); internal/test/layers tests the imports
	@test -z "$$(gofmt -l .)" || { gofmt -l . | sed 's/^/gofmt would change: /'; exit 1; }
	go vet ./...
	go vet -C research ./...
	go run $(STATICCHECK) ./...
	cd research && go run $(STATICCHECK) ./...
	shellcheck -x scripts/*.sh research/*.sh research/*/*.sh .ci/run .ci/nightly deploy/slurm.sbatch

simt: ## the CUDA engine's tests on the host emulation of its kernels (needs g++)
	CGO_ENABLED=1 go test -tags simt $(ENGINE)
	SIMT_CAPABILITY=75 CGO_ENABLED=1 go test -tags simt -run 'Branch|Fused|Word' ./internal/engine/cuda ./internal/test/kernels
	CGO_ENABLED=1 go test -tags simt -run Definitions ./internal/engine
	CGO_ENABLED=1 go test -tags simt -run CUDA ./internal/engine/device ./internal/train ./internal/cli ./internal/sweep
	CGO_ENABLED=1 go test -C research -tags simt ./launches

gpu: fatbins ## ./acqnp-cuda, for NVIDIA GPUs: needs nvcc (CUDA 11.8 or later) and gcc; ARCHS="75 80 90" names the GPUs
	$(GPU) go build -trimpath -tags $(GPUTAGS) -ldflags "-s -w" -o acqnp-cuda ./cmd/acqnp
	sh scripts/needed.sh acqnp-cuda

fatbins: ## the kernels alone, those that have changed, and what the program is linked with
	@rm -f $(filter-out $(foreach ending,fatbin ptxas gpus,$(FATBINS:fatbin=$(ending))),$(wildcard kernels/fatbin/*.*))
	@$(MAKE) -s -j$$(nproc) bin/stubs/libcuda.so bin/stubs/libc.so $(FATBINS) $(VOCABULARY)

cuda: gpu bin/driver/libcuda.so.1 ## check acqnp-cuda without a GPU: its kernels' registers and instructions, and the calls of the driver
	sh scripts/registers.sh
	sh scripts/instructions.sh
	CGO_ENABLED=1 go vet -tags simt $(ENGINE)
	$(GPU) go vet -tags $(GPUTAGS) ./kernels/gpu/... ./cmd/acqnp $(ENGINE)
	$(GPU) LD_LIBRARY_PATH="$(CURDIR)/bin/driver" go test -count=1 -tags $(GPUTAGS) ./kernels/gpu/cu

gpu-check: gpu ## write bin/gpu-check.tar.xz, what a quarter of an hour on a GPU needs: scripts/gpu-check-pack.sh says what OLD, DATA and RUNS add
	$(GPU) sh scripts/gpu-check-pack.sh bin/gpu-check

reference: ## write the pages that the program knows (docs/reference), and the tables of the documentation from research/data
	WRITE_COMMANDS=1 go test -count=1 -run ReferencePages ./internal/cli
	WRITE_TABLES=1 go test -count=1 -run TablesAreThoseOfTheData ./internal/test/docs

research: ## the tests of research
	go test -C research ./...
	/usr/bin/python3 research/few-shot/mixtures_test.py

release: fatbins ## all files of a release, in bin/dist, without signatures and uploads; needs what gpu needs
	$(GPU) GPUTAGS=$(GPUTAGS) sh scripts/release.sh

# The names of the driver's functions, for linking on a machine without a driver.
bin/stubs/libcuda.so: kernels/gpu/cu/include/cuda.h kernels/fatbin/settings
	@mkdir -p $(@D)
	@echo '#include <cuda.h>' | gcc $(INCLUDE) -E -P - >$@.h
	@grep -oE '\<cu[A-Z][A-Za-z0-9_]* *\(' $@.h | tr -d ' (' | sort -u | \
		sed 's/.*/void &(void) {}/' | gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -o $@ -x c -

# glibc's, so that the program runs with the one that its wheel and packages name.
bin/stubs/libc.so: scripts/old-glibc.sh scripts/needed.sh
	@sh $< $(@D) $$(sed -n 's/^most=//p' scripts/needed.sh)

# A stand-in for the driver, for tests on a machine without a GPU.
bin/driver/libcuda.so.1: kernels/gpu/cu/testdata/driver.c
	@mkdir -p $(@D)
	gcc -shared -fPIC -Wall -Wextra -Werror $(INCLUDE) -o $@ $<

kernels/fatbin/%.fatbin: kernels/%.cu $(wildcard kernels/*.h) kernels/fatbin/settings
	@echo "nvcc $< for $(ARCHS)"
	@sh scripts/fatbin.sh $< $@ kernels/fatbin/$*.ptxas "$(ARCHS)"

# The kernels of tests alone, which the program does not contain.
$(VOCABULARY): %.fatbin: %.cu kernels/device.h kernels/hopper.h kernels/fatbin/settings
	@echo "nvcc $< for $(ARCHS)"
	@sh scripts/fatbin.sh $< $@ $(@:.fatbin=.ptxas) "$(ARCHS)"

# This file changes if all kernels must be compiled again for new ARCHS, flags or nvcc.
kernels/fatbin/settings: scripts/fatbin.sh always
	@mkdir -p $(@D)
	@{ echo "$(ARCHS)"; cat $<; nvcc --version; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

.PHONY: help build test lint simt gpu fatbins cuda gpu-check reference research release always
