#!/bin/sh
# Reads what ptxas printed about the kernels during `make fatbins`, and counts their instructions. Fails if
# a kernel spills registers or has a stack frame on any GPU, or if one for sm_90 or later uses global memory
# before it waits for its inputs, or through the cache that the wait does not cover (device.h), or if ptxas says
# that it makes wgmma's products one after another (C7510). Compares all of it with kernels/registers/VERSION.txt,
# if there is one of this nvcc. --record writes that file. A loop that is not unrolled counts once.
set -eu
cd "$(dirname "$0")/../kernels"
compiler=$(nvcc --version | sed -n 's/.*release .*, V\([0-9.]*\).*/\1/p')
file=registers/$compiler.txt
# counts prints KERNEL GPU INSTRUCTIONS for all machine code.
counts() {
	for image in fatbin/*.fatbin; do
		[ ! -s "$image" ] || cuobjdump -sass "$image"
	done | awk -v early="$now.early" '
		function line() { if (kernel != "") print kernel, gpu, n; kernel = "" }
		function wrong(what) { if (substr(gpu, 4) + 0 >= 90) print kernel, gpu ": " what >early }
		/^\tcode for sm_/ { line(); gpu = $NF }
		/Function :/ { line(); kernel = $NF; n = waited = 0 }
		/^ *\/\*[0-9a-f]+\*\/ / {
			word = $2 ~ /^@/ ? $3 : $2
			if (word !~ /^NOP/) n++
			if (word ~ /^ACQBULK/) waited = 1
			if (word ~ /^(LD|ST|ATOM|RED|UBLK|UTMA|EXIT)/ && word !~ /^(LDS|LDC|LDL|STS|STL|REDUX)/ && !waited) wrong(word " before griddepcontrol.wait")
			if (word ~ /^LDG.*CONSTANT/) wrong("ld.global.nc")
		}
		END { line() }'
}
table() {
	echo "kernel gpu registers stack spill_stores spill_loads shared instructions"
	counts >"$now.counts"
	cat fatbin/*.ptxas | awk -v counts="$now.counts" '
		BEGIN { while ((getline text <counts) > 0) { split(text, part, " "); count[part[1], part[2]] = part[3] } }
		/Compiling entry function/ { split($0, part, "\047"); kernel = part[2]; gpu = part[4] }
		/Function properties for/ { own = $NF == kernel }
		/bytes stack frame/ && own { stack = $1; stores = $5; loads = $9 }
		/Used [0-9]+ registers/ && kernel != "" {
			shared = match($0, /[0-9]+ bytes smem/) ? $0 : ""
			if (shared != "") { sub(/ bytes smem.*/, "", shared); sub(/.* /, "", shared) } else shared = 0
			match($0, /Used [0-9]+/)
			print kernel, gpu, substr($0, RSTART + 5, RLENGTH - 5), stack, stores, loads, shared, count[kernel, gpu]
			kernel = ""
		}' | LC_ALL=C sort -k 1,2
}
now=$(mktemp)
trap 'rm -f "$now" "$now.all" "$now.recorded" "$now.counts" "$now.early"' EXIT
: >"$now.early"
table >"$now.all"
if [ "${1:-}" = --record ]; then
	{ echo "# nvcc $compiler" && column -t "$now.all"; } >"$file"
	echo "kernels/$file: $(grep -c sm_ "$file") kernels"
fi
if grep -h C7510 fatbin/*.ptxas >&2; then
	echo "ptxas makes products of wgmma one after another; see PTX ISA, wgmma.fence" >&2
	exit 1
fi
if awk '$2 ~ /^sm_/ && $4 + $5 + $6 > 0 { print; found = 1 } END { exit found }' "$now.all" >"$now"; then
	echo "no spills or stack frames: $(grep -c sm_ "$now.all") kernels"
else
	column -t "$now" >&2
	echo "these kernels have a stack frame or spill registers (bytes in columns 4 to 6); give them fewer live values" >&2
	exit 1
fi
if [ -s "$now.early" ]; then
	sort -u "$now.early" >&2
	exit 1
fi
if [ ! -e "$file" ]; then
	echo "not compared: kernels/registers has files of nvcc $(basename -s .txt registers/* | paste -sd' '), found $compiler"
	exit
fi
# Compare the lines of the GPUs that were compiled for. A kernel without a line appears in the
# difference.
gpus=$(awk '/sm_/ { print $2 }' "$now.all" | sort -u | xargs)
awk '/sm_/' "$now.all" >"$now"
awk -v gpus=" $gpus " 'index(gpus, " " $2 " ") { $1 = $1; print }' "$file" >"$now.recorded"
if ! diff "$now.recorded" "$now"; then
	echo "registers, shared memory or instructions differ from kernels/$file (<); if the change is intended, run scripts/registers.sh and scripts/instructions.sh with --record" >&2
	exit 1
fi
echo "registers as recorded: $gpus, $(wc -l <"$now") lines"
