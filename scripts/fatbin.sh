#!/bin/sh
# Compiles one kernel file: fatbin.sh IN.cu OUT.fatbin OUT.ptxas ARCHS
# The fatbin has machine code for each of ARCHS (such as "75 80 90") that nvcc knows, and PTX of the
# last one for later GPUs. A file whose first line is `// archs: 90a` has machine code for these alone;
# its fatbin is empty if nvcc knows none of them, or ARCHS lacks their GPU. OUT.gpus says what the
# fatbin has, such as "75 80 ptx80". OUT.ptxas gets what ptxas prints about each kernel, such as registers.
# DEFINE, such as -DBOUNDED, is passed on to nvcc.
set -eu
in=$1 out=$2 said=$3 archs=$4
own=$(sed -n '1s|^// archs: ||p' "$in")
code='' gpus='' last=''
for arch in ${own:-$archs}; do
	case " $archs " in
	*" ${arch%a} "*) ;;
	*) echo "$in: left out sm_$arch, whose GPU is not among $archs" >&2 && continue ;;
	esac
	if nvcc -gencode "arch=compute_$arch,code=sm_$arch" --dryrun -fatbin -o "$out.part" "$in" >/dev/null 2>&1; then
		code="$code -gencode arch=compute_$arch,code=sm_$arch" gpus="$gpus $arch" last=$arch
	else
		echo "$in: warning: left out sm_$arch, which this nvcc does not know" >&2
	fi
done
if [ -n "$own" ] && [ -z "$code" ]; then
	tee "${out%.fatbin}.gpus" "$said" "$out" </dev/null
	exit
fi
if [ -z "$code" ]; then
	echo "$in: nvcc knows none of the architectures $archs; see nvcc --list-gpu-code" >&2
	exit 1
fi
[ -n "$own" ] || code="$code -gencode arch=compute_$last,code=compute_$last" gpus="$gpus ptx$last"
# shellcheck disable=SC2086 # one word an option
nvcc -std=c++17 -O3 -Xptxas -v ${DEFINE:-} $code -fatbin -o "$out.part" "$in" 2>"$said.part" || {
	cat "$said.part" >&2
	rm -f "$out.part"
	exit 1
}
grep -i warning "$said.part" >&2 || true
echo "${gpus# }" >"${out%.fatbin}.gpus"
mv "$said.part" "$said"
mv "$out.part" "$out"
