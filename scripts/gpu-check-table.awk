# Fills research/data/gpu-old-new.csv from what gpu-check.sh wrote: the first file is the table,
# the others are work/launches/AGE-PRECISION-ROUND.txt, of bench --kernels, and work/wgmma/wgmma.txt.
# Rounds are averaged. What no file has stays as it is.
function add(age, precision, part, ms) {
	sum[age, precision, part] += ms
	if (!((FILENAME, part) in seen)) { seen[FILENAME, part] = 1; files[age, precision, part]++ }
}
function mean(age, precision, part) {
	return (age, precision, part) in sum ? sum[age, precision, part] / files[age, precision, part] : ""
}
# part_of returns the part of the step to which a launch belongs. ψ is forward first and backward last.
function part_of(kernel) {
	if (kernel ~ /^branch_forward/) return ++forwards == 1 ? "forward of ψ" : "forward of the decoder"
	if (kernel ~ /^branch_backward/) return ++backwards == 1 ? "backward of the decoder" : "backward of ψ"
	if (kernel ~ /^branch_reduce/) return "sums of their gradients"
	if (kernel ~ /^(weight_grads|sums)/) return "weight_grads and sums"
	if (kernel ~ /^(chain|mixture_grad)$/) return kernel
	return "the rest"
}
FNR == NR { table[++rows] = $0; next }
FNR == 1 {
	n = split(FILENAME, path, "/")
	split(path[n], of, /[-.]/)
	forwards = backwards = launches = 0
}
of[1] == "wgmma" && /^  forward.*kept/ && !/nothing/ { add("new", "trial", "forward by wgmma", $(NF - 3)) }
of[1] == "wgmma" && /^  pair_backward/ { add("new", "trial", "pair_backward by wgmma", $(NF - 3)) }
of[1] == "wgmma" { next }
$1 == "step" { add(of[1], of[2], "the step", $2) }
$1 == "all" { launches = 0 }
launches && NF == 4 { add(of[1], of[2], part_of($1), $3 / 1000) }
$1 == "kernel" { launches = 1 }
END {
	print table[1]
	for (i = 2; i <= rows; i++) {
		split(table[i], cell, ",")
		before = mean("old", cell[1], cell[2])
		after = mean("new", cell[1], cell[2])
		if (before != "") cell[4] = sprintf("%.3f", before)
		if (after != "") cell[5] = sprintf("%.3f", after)
		if (before != "" && after != "" && before > 0) {
			cell[6] = sprintf("%+.1f", 100 * (after / before - 1))
			sub(/-/, "−", cell[6])
		}
		print cell[1] "," cell[2] "," cell[3] "," cell[4] "," cell[5] "," cell[6]
	}
}
