# Everything CI does is a target here; `make` alone lists them.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.9.0
ONNX_PYTHON ?= python3
SITE_PYTHON ?= python3
PYTHON ?= python3
# The packages whose tests run the CUDA engine, on the host emulation or on a GPU.
ENGINE = ./kernels/... ./internal/engine/cuda/... ./internal/test/kernels
# The GPUs with machine code. Later GPUs compile the PTX of the last when a program starts.
ARCHS ?= 75 80 86 89 90
# The CUDA toolkit: CUDA 11.8 or later, its nvcc in PATH unless CUDA_HOME names a toolkit's folder.
ifdef CUDA_HOME
export PATH := $(CUDA_HOME)/bin:$(PATH)
TOOLKIT = -I$(CUDA_HOME)/include
endif
# The toolkit's libcuda.so, for linking on a machine without a driver.
STUBS = $(firstword $(wildcard $(CUDA_HOME)/lib64/stubs /usr/local/cuda/lib64/stubs /usr/lib/x86_64-linux-gnu/stubs))
GPU = CGO_ENABLED=1 CGO_CFLAGS="-O2 -g -I$(CURDIR)/internal/engine/gpu/cu/include $(TOOLKIT)" CGO_LDFLAGS="-L$(STUBS)"
GPUTAGS = gpu,netgo,osusergo
FATBINS = $(patsubst kernels/%.cu,kernels/fatbin/%.fatbin,$(wildcard kernels/*.cu))
VOCABULARY = kernels/vocabulary/vocabulary.fatbin
CHECK = bin/gpu-check

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

build: ## one static program, ./acqnp
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o acqnp ./cmd/acqnp

gpu: fatbins ## ./acqnp-cuda, for NVIDIA GPUs: needs nvcc (CUDA 11.8 or later) and gcc; ARCHS="75 80 90" names the GPUs
	$(GPU) go build -trimpath -tags $(GPUTAGS) -o acqnp-cuda ./cmd/acqnp
	sh scripts/needed.sh acqnp-cuda

fatbins:
	@rm -f $(filter-out $(FATBINS) $(FATBINS:.fatbin=.ptxas),$(wildcard kernels/fatbin/*.fatbin kernels/fatbin/*.ptxas))
	@$(MAKE) -s -j$$(nproc) $(FATBINS) $(VOCABULARY)

kernels/fatbin/%.fatbin: kernels/%.cu $(wildcard kernels/*.h) kernels/fatbin/settings
	@echo "nvcc $< for $(ARCHS)"
	@sh scripts/fatbin.sh $< $@ kernels/fatbin/$*.ptxas "$(ARCHS)"

# The kernels of tests alone, which the program does not contain.
$(VOCABULARY): kernels/vocabulary/vocabulary.cu kernels/device.h kernels/fatbin/settings
	@echo "nvcc $< for $(ARCHS)"
	@sh scripts/fatbin.sh $< $@ $(@:.fatbin=.ptxas) "$(ARCHS)"

# This file changes if all kernels must be compiled again for new ARCHS, flags or nvcc.
kernels/fatbin/settings: scripts/fatbin.sh always
	@mkdir -p $(@D)
	@{ echo "$(ARCHS)"; cat $<; nvcc --version; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

test: ## all tests
	go test ./...

simt: ## the CUDA engine's tests on the host emulation of its kernels (needs g++)
	CGO_ENABLED=1 go test -tags simt $(ENGINE)
	SIMT_CAPABILITY=75 CGO_ENABLED=1 go test -tags simt -run 'Branch|Fused|Word' ./internal/engine/cuda ./internal/test/kernels
	CGO_ENABLED=1 go test -tags simt -run Definitions ./internal/engine
	CGO_ENABLED=1 go test -tags simt -run CUDA ./internal/device ./internal/train ./internal/cli
	CGO_ENABLED=1 go test -tags simt ./internal/train/seeds
	CGO_ENABLED=1 go test -tags simt -run CUDA ./internal/sweep

# For every landing: as one GPU.
simt-short:
	CGO_ENABLED=1 go vet -tags simt $(ENGINE)
	CGO_ENABLED=1 go test -tags simt ./internal/engine/cuda ./internal/test/kernels

driver: fatbins ## the tests of internal/engine/gpu/cu, with a stand-in for libcuda.so.1
	@mkdir -p bin/driver
	gcc -shared -fPIC -Wall -Wextra -Werror -Iinternal/engine/gpu/cu/include $(TOOLKIT) -o bin/driver/libcuda.so.1 internal/engine/gpu/cu/testdata/driver.c
	$(GPU) LD_LIBRARY_PATH="$(CURDIR)/bin/driver" go test -count=1 -tags $(GPUTAGS) ./internal/engine/gpu/cu

toolkit: gpu driver lint-gpu registers ## build and check acqnp-cuda with the CUDA toolkit in CUDA_HOME; CONTRIBUTING.md says where to get one

generated: ## internal/simd/gen still writes the assembly that is there
	go vet -C internal/simd/gen .
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && go run -C internal/simd/gen . -dir "$$dir" && \
		for file in "$$dir"/*; do cmp "$$file" "internal/simd/$${file##*/}" || exit 1; done

paths: ## the tests of numbers, on every set of SIMD kernels that this machine has besides the best, which go test takes
	sh scripts/paths.sh

# Under the build tag amxemulated package simd believes in tiles.
amx: ## the tests of the AMX kernels, with AMX emulated: needs Linux and AVX-512, and takes a minute
	go build -o bin/amx ./tools/amx
	go test -count=1 -short -tags amxemulated -exec "$(CURDIR)/bin/amx" ./internal/simd
	go test -count=1 -tags amxemulated -exec "$(CURDIR)/bin/amx" -run 'BF16IsNearFloat32/^acqnp__' ./internal/engine

registers: fatbins ## no spills, no stack frames; compare registers and instructions with kernels/registers.txt and tools/roofline/counts.txt
	sh scripts/registers.sh
	sh scripts/instructions.sh

registers-record: fatbins ## write kernels/registers.txt and tools/roofline/counts.txt
	sh scripts/registers.sh --record
	sh scripts/instructions.sh --record

sweep: build ## sweeps/quick.yaml in one piece and with kills: the same table, in ten minutes of one core
	sh scripts/sweep.sh

kills: ## kill a sweep and its children 200 times at random, with locks and without, and a fit 100 times, in ten minutes
	SWEEP_TEST_KILLS=200 go test -count=1 -run Killed -v ./internal/sweep
	FIT_TEST_KILLS=100 go test -count=1 -timeout 30m -run Killed -v ./internal/fit

long: ## the tests that go test shortens: all shipped configurations, more repetitions
	TEST_ALL=1 go test -count=1 -timeout 30m ./internal/test/e2e
	TEST_ALL=1 go test -count=1 -timeout 30m -run Intervals -v ./internal/fit
	TEST_ALL=1 go test -count=1 -run 'EnginesAgree|ModelGradients|ThreadsGive' ./internal/engine

race: ## the tests under the race detector, the longest ones left out (needs cgo and a C compiler)
	CGO_ENABLED=1 go test -race -short -timeout 60m ./internal/... ./tools/... # it takes ten times as long

# For every landing: the packages with most goroutines.
race-short:
	CGO_ENABLED=1 go test -race -short ./internal/datasets/feed ./internal/engine/cpu ./internal/serve ./internal/train/seeds

lint: ## gofmt, go vet, staticcheck; internal/test/layers tests the imports
	@test -z "$$(gofmt -l .)" || { gofmt -l . | sed 's/^/gofmt would change: /'; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...

lint-sh: ## shellcheck
	shellcheck -x scripts/*.sh .ci/run .ci/nightly deploy/slurm.sbatch

lint-gpu: fatbins ## go vet of the files with the build tags simt and gpu
	CGO_ENABLED=1 go vet -tags simt $(ENGINE)
	$(GPU) go vet -tags $(GPUTAGS) ./internal/engine/gpu/... ./cmd/acqnp $(ENGINE)

dockerfile: ## check Dockerfile and Dockerfile.cuda, and run the latter's RUN lines without a container engine
	go vet -C tools/dockerfile .
	go test -C tools/dockerfile ./...
	@mkdir -p bin
	@go run -C tools/dockerfile . "$(CURDIR)/Dockerfile.cuda" >bin/run-lines
	@while read -r line; do echo "RUN $$line"; sh -ec "$$line" </dev/null || exit 1; done <bin/run-lines

exports: ## exported programs in PyTorch (Debian: python3-torch), densities in R (r-base-core), an HTML report in Chromium
	go test -count=1 -v -run 'ProgramsPredict' ./internal/export/torch
	go test -count=1 -v -run 'ExportedProgram|InR' ./internal/cli
	go test -count=1 -v -run Chromium ./internal/report/tables

kubernetes: build ## check the Kubernetes objects with the API server's own code, without a cluster
	go vet -C tools/kubernetes .
	go test -C tools/kubernetes -count=1 ./...
	@mkdir -p bin
	for plan in $$(grep -L '^halving:' sweeps/*.yaml); do ./acqnp sweep submit "$$plan" --kubernetes --dry-run >bin/objects.yaml && go run -C tools/kubernetes . "$(CURDIR)/bin/objects.yaml" || exit 1; done

openapi: ## check /openapi.json of acqnp serve, and requests and answers by it
	go vet -C tools/openapi .
	go test -C tools/openapi -count=1 ./...

page: ## the page of acqnp serve in a headless Chromium (Debian: chromium), in a minute; pictures of it go to bin/page
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || echo "found no chromium in PATH: the tests of the page are skipped"
	go vet -C tools/page .
	PAGE_SHOTS="$(CURDIR)/bin/page" go test -C tools/page -count=1 ./...

image: build ## build the images of Dockerfile and Dockerfile.cuda without a daemon and run them, as root on Debian: see scripts/image.sh
	sh scripts/image.sh go test -count=1 -v ./internal/test/image

r: build ## R CMD build and R CMD check of the package in r, with this program (Debian: r-base-core, r-cran-knitr, r-cran-markdown, qpdf)
	rm -rf bin/r && mkdir -p bin/r
	cd bin/r && export PATH="$(CURDIR):$$PATH" && R CMD build ../../r && _R_CHECK_CRAN_INCOMING_=false _R_CHECK_SYSTEM_CLOCK_=0 R CMD check --as-cran --no-manual acqnp_*.tar.gz
	@! grep -E '(WARNING|ERROR)$$' bin/r/acqnp.Rcheck/00check.log

slurm: build ## sweeps on a real Slurm of two nodes on this machine; as root, installs Debian's slurm-wlm and munge
	ACQNP_SLURM=1 sh scripts/slurm.sh go test -count=1 ./internal/test/slurm

gpu-check: gpu ## write bin/gpu-check.tar.xz, what a quarter of an hour on a GPU needs: scripts/gpu-check-pack.sh says what OLD, DATA and RUNS add
	$(GPU) sh scripts/gpu-check-pack.sh $(CHECK)

fuzz: ## every fuzz test for FUZZTIME, such as 1m or 5000x
	sh scripts/fuzz.sh $(or $(FUZZTIME),10s)

reference: ## write configuration.md, environment.md and commands in docs/reference
	WRITE_COMMANDS=1 go test -count=1 -run ReferencePages ./internal/cli

tables: ## write the tables of the documentation from docs/results/data
	WRITE_TABLES=1 go test -count=1 -run TablesAreThoseOfTheData ./internal/test/docs

man: ## write a man page for each command to bin/man
	@mkdir -p bin/man
	MAN="$(CURDIR)/bin/man" go test -count=1 -run ManPages ./internal/cli

licences: ## write docs/reference/licences.md, and all texts to bin/release; refuse licences that are not permitted
	@mkdir -p bin/release
	go run -C tools/licences . --root "$(CURDIR)" --page "$(CURDIR)/docs/reference/licences.md" --texts "$(CURDIR)/bin/release/THIRD_PARTY_LICENSES.txt"

release-files: build licences ## completions, man pages and licences of a release, in bin/release
	sh scripts/release-files.sh bin/release

snapshot: ## a release without signatures and uploads, in bin/dist; installs goreleaser and syft to bin/tools
	sh scripts/snapshot.sh

release: snapshot ## try that release's archive, deb and rpm in clean roots of Debian: as root, needs mmdebstrap and rpm
	sh scripts/try-release.sh bin/dist

arm64: ## the tests of numbers on arm64, emulated (Debian: qemu-user-static)
	sh scripts/arm64.sh

windows: ## the Windows program and its tests under wine (Debian: wine64, gcc-mingw-w64-x86-64-win32), beside Linux's
	sh scripts/windows.sh

cross: ## go vet for Windows and macOS
	GOOS=windows go vet ./...
	GOOS=darwin GOARCH=arm64 go vet ./...

vulnerabilities: ## known vulnerabilities in what the program calls; asks Go's database
	go run $(GOVULNCHECK) ./...

pictures: build ## draw the pictures of docs/img, those whose runs are there: see scripts/pictures.sh
	sh scripts/pictures.sh

wheels: licences ## wheels for pip, of all systems, in dist: needs Python 3.11 and nothing else
	$(PYTHON) python/wheels.py dist

python: build ## the tests of the Python package with PYTHON, which needs NumPy; without scikit-learn, pandas, polars or matplotlib parts are skipped
	cd python && $(PYTHON) -W error::ResourceWarning -m unittest discover -s tests -t .

pythons: build ## the wheel in new environments of Python 3.10 to 3.13, those that are there, and the notebook in Jupyter: from PyPI
	sh scripts/pythons.sh

site: ## the documentation as a site in bin/site, dead links refused; SITE_PYTHON names a Python with PyPI's mkdocs-material 9
	NO_MKDOCS_2_WARNING=1 $(SITE_PYTHON) -m mkdocs build --strict -f tools/site/mkdocs.yml

golden: ## write internal/test/golden/testdata with PyTorch (Debian: python3-torch)
	/usr/bin/python3 tools/golden/golden.py internal/test/golden/testdata

coverage: build ## what calibrated intervals hold on 200 simulated data sets, with init and train, in about 10 minutes of one core, and with fit, of up to 2,000 groups, in some hours
	@mkdir -p bin
	go run ./tools/coverage --program ./acqnp --out bin/coverage.csv
	go run ./tools/coverage --program ./acqnp --fit --instant --out bin/coverage-instant.csv
	go run ./tools/coverage --program ./acqnp --fit --out bin/coverage-fit.csv

onnx-check: build ## compare exported ONNX graphs with predict; ONNX_PYTHON names a Python with PyPI's onnx and onnxruntime
	rm -rf bin/onnx && mkdir -p bin/onnx
	go run ./tools/onnx bin/onnx
	$(ONNX_PYTHON) tools/onnx/check.py bin/onnx
	$(ONNX_PYTHON) tools/onnx/trained.py ./acqnp bin/onnx

rows: ## read a million rows of every form of file in bounded memory
	MILLION_ROWS=1 go test -count=1 -timeout 60m -v -run AMillion ./internal/datasets

pretrained: build ## train the weights that the program carries, to internal/fit/pretrained: hours of all cores; an interrupted training goes on
	/usr/bin/python3 tools/pretrained/make.py --acqnp ./acqnp

.PHONY: help reference pictures tables kills sweep build gpu fatbins test simt simt-short race-short generated exports long driver toolkit paths amx registers registers-record race lint lint-sh lint-gpu dockerfile kubernetes openapi page slurm image r gpu-check fuzz golden coverage onnx-check pretrained rows licences release-files snapshot release arm64 windows cross vulnerabilities wheels python pythons always
