#!/bin/sh
# Compiles one kernel file: fatbin.sh IN.cu OUT.fatbin OUT.ptxas ARCHS
# The fatbin has machine code for each of ARCHS (such as "75 80 90") that nvcc knows, and PTX of the
# last one for later GPUs. OUT.ptxas gets what ptxas prints about each kernel, such as registers.
set -eu
in=$1 out=$2 said=$3 archs=$4
known=$(nvcc --list-gpu-code)
code=
for arch in $archs; do
	case $known in
	*"sm_$arch"*) code="$code -gencode arch=compute_$arch,code=sm_$arch" last=$arch ;;
	*) echo "$in: warning: this nvcc does not know sm_$arch; continuing without it" >&2 ;;
	esac
done
if [ -z "$code" ]; then
	echo "$in: nvcc knows none of the architectures $archs; see nvcc --list-gpu-code" >&2
	exit 1
fi
# shellcheck disable=SC2086 # one word an option
nvcc -std=c++17 -O3 -Xptxas -v $code -gencode "arch=compute_$last,code=compute_$last" -fatbin -o "$out.part" "$in" 2>"$said.part" || {
	cat "$said.part" >&2
	rm -f "$out.part"
	exit 1
}
grep -i warning "$said.part" >&2 || true
mv "$said.part" "$said"
mv "$out.part" "$out"
