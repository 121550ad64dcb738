# Fills research/data/gpu-old-new.csv from what gpu-check.sh wrote: the first file is the table, the others
# are work/launches/AGE-PRECISION-ROUND.txt, of research/launches. Rounds are averaged. What no file has stays
# as it is.
function add(part, ms) {
	sum[age, precision, part] += ms
	if (!((FILENAME, part) in seen)) { seen[FILENAME, part] = 1; files[age, precision, part]++ }
}
function mean(age, precision, part) {
	return (age, precision, part) in sum ? sum[age, precision, part] / files[age, precision, part] : ""
}
# part_of returns the part of the step to which a launch outside the branches belongs.
function part_of(kernel) {
	if (kernel ~ /^branch_reduce/) return "sums of their gradients"
	if (kernel ~ /^(weight_grads|sums)/) return "weight_grads and sums"
	if (kernel ~ /^(chain|mixture_grad)$/) return kernel
	return "the rest"
}
# launch takes a launch. Passes of a branch backward are one after another, the last one the bottom.
function launch(kernel, ms) {
	if (kernel ~ /^branch_forward/) { forward[++forwards] = ms; return }
	if (kernel !~ /^branch_backward/) { add(part_of(kernel), ms); return }
	if (!open) backwards++
	backward[backwards] += ms
	open = kernel ~ /_(top|middle)$/
	if (kernel ~ /_top$/) add("its top pair", ms)
	if (kernel ~ /_(middle|bottom|last)$/) add("its pairs below", ms)
}
# branches adds the branches of a step: forward the decoder comes last and ψ before it, backward first.
# Others are encoders.
function branches(  i) {
	for (i = 1; i <= forwards; i++) add(i == forwards ? "forward of the decoder" : i == forwards - 1 ? "forward of ψ" : "the encoder", forward[i])
	for (i = 1; i <= backwards; i++) { add(i == 1 ? "backward of the decoder" : i == 2 ? "backward of ψ" : "the encoder", backward[i]); delete backward[i] }
	forwards = backwards = open = 0
}
FNR == NR { table[++rows] = $0; next }
FNR == 1 {
	n = split(FILENAME, path, "/")
	split(path[n], of, /[-.]/)
	age = of[1]
	precision = of[2]
	launches = 0
}
$1 == "step" { add("the step", $2) }
$1 == "all" { launches = 0; branches(); add("all launches in turn", $(NF - 1) / 1000) }
launches && NF == 4 { launch($1, $3 / 1000) }
$1 == "kernel" { launches = 1 }
END {
	print table[1]
	for (i = 2; i <= rows; i++) {
		split(table[i], cell, ",")
		part = cell[2]
		before = mean("old", cell[1], part)
		after = mean("new", cell[1], part)
		if (before != "") cell[4] = sprintf("%.3f", before)
		if (after != "") cell[5] = sprintf("%.3f", after)
		if (before != "" && after != "" && before > 0) {
			cell[6] = sprintf("%+.1f", 100 * (after / before - 1))
			sub(/-/, "−", cell[6])
		}
		print cell[1] "," cell[2] "," cell[3] "," cell[4] "," cell[5] "," cell[6]
	}
}
