#!/bin/sh
# Compares what ptxas printed about the kernels during `make fatbins` (registers, spilled bytes,
# static shared memory) with kernels/registers.txt, for the GPUs in both. --record writes that file.
set -eu
cd "$(dirname "$0")/../kernels"
compiler=$(nvcc --version | sed -n 's/.*release .*, V\([0-9.]*\).*/\1/p')
table() {
	echo "kernel gpu registers spill_stores spill_loads shared"
	cat fatbin/*.ptxas | awk '
		/Compiling entry function/ { split($0, part, "\047"); kernel = part[2]; gpu = part[4] }
		/Function properties for/ { own = $NF == kernel }
		/bytes stack frame/ && own { stores = $5; loads = $9 }
		/Used [0-9]+ registers/ && kernel != "" {
			shared = match($0, /[0-9]+ bytes smem/) ? $0 : ""
			if (shared != "") { sub(/ bytes smem.*/, "", shared); sub(/.* /, "", shared) } else shared = 0
			match($0, /Used [0-9]+/)
			print kernel, gpu, substr($0, RSTART + 5, RLENGTH - 5), stores, loads, shared
			kernel = ""
		}' | LC_ALL=C sort -k 1,2
}
now=$(mktemp)
trap 'rm -f "$now" "$now.all" "$now.recorded"' EXIT
table >"$now.all"
if [ "${1:-}" = --record ]; then
	{ echo "# nvcc $compiler" && column -t "$now.all"; } >registers.txt
	echo "kernels/registers.txt: $(grep -c sm_ registers.txt) kernels"
	exit
fi
if [ "$(head -1 registers.txt)" != "# nvcc $compiler" ]; then
	echo "not compared: kernels/registers.txt was written with $(sed -n '1s/# *//p' registers.txt), found nvcc $compiler"
	exit
fi
# Compare the lines of the GPUs in both. A kernel without a line appears in the difference.
gpus=$(awk '/sm_/ { print $2 }' "$now.all" | sort -u | xargs)
recorded=$(awk '/sm_/ { print $2 }' registers.txt | sort -u | xargs)
compared=
: >"$now"
: >"$now.recorded"
for gpu in $gpus; do
	case " $recorded " in
	*" $gpu "*) ;;
	*) continue ;;
	esac
	compared="$compared $gpu"
	awk -v gpu="$gpu" '$2 == gpu' "$now.all" >>"$now"
	awk -v gpu="$gpu" '$2 == gpu { $1 = $1; print }' registers.txt >>"$now.recorded"
done
if [ -z "$compared" ]; then
	echo "kernels/registers.txt has no lines for the GPUs that were compiled for: $gpus" >&2
	exit 1
fi
if ! diff "$now.recorded" "$now"; then
	echo "registers, spills or shared memory differ from kernels/registers.txt (<); if the change is intended, run make registers-record" >&2
	exit 1
fi
echo "registers and spills as recorded:$compared, $(wc -l <"$now") lines"
