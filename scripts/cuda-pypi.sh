#!/bin/sh
# Installs PyPI's nvcc of CUDA 13.0 in the virtual environment DIR, 400 MB, and prints the folder for
# CUDA_HOME: cuda-pypi.sh DIR. It needs Python with venv. CUDA 13.0 itself has no cuobjdump on PyPI.
set -eu
dir=${1:?usage: cuda-pypi.sh DIR}
[ -x "$dir/bin/python" ] || python3 -m venv "$dir"
"$dir/bin/python" -m pip install -q --disable-pip-version-check nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 \
	nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 \
	nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37 >&2
cd "$dir"/lib/python3*/site-packages/nvidia/cu13
pwd
