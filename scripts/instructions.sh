#!/bin/sh
# Counts the instructions of each kernel in the machine code of one GPU, for tools/roofline:
# instructions.sh 80 kernels/fatbin/branch_f16.fatbin. A loop that is not unrolled counts once.
set -eu
arch=${1:?usage: instructions.sh ARCH FATBIN...}
shift
{
	echo "kernel all products ldmatrix shared_loads shared_stores loads stores copies barriers"
	for file in "$@"; do
		cuobjdump -sass -arch "sm_$arch" "$file"
	done | awk '
		function line() { if (kernel != "") print kernel, n, n_of["HMMA"] + 0, n_of["LDSM"] + 0, n_of["LDS"] + 0, n_of["STS"] + 0, n_of["LDG"] + 0, n_of["STG"] + 0, n_of["LDGSTS"] + 0, n_of["BAR"] + 0 }
		/Function :/ { line(); kernel = $NF; n = 0; delete n_of }
		/^ *\/\*[0-9a-f]+\*\/ / {
			word = $2 ~ /^@/ ? $3 : $2
			sub(/[.;].*/, "", word)
			if (word != "NOP") { n++; n_of[word]++ }
		}
		END { line() }' | LC_ALL=C sort
} | column -t
