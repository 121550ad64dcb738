#!/usr/bin/env bash
# Writes research/data/fit-cost.csv: what acqnp fit costs, in processor seconds. The files are made here, so
# anybody can repeat it. It takes about two minutes of two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$PWD/acqnp
table=$PWD/research/data/fit-cost.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$program" data example --out prices.csv 2>/dev/null
head -n 441 prices.csv >few.csv # 5 products and a part of a sixth: 440 rows
awk 'BEGIN { srand(1); print "group,x,y"; for (g = 0; g < 40; g++) { a = rand(); for (i = 0; i < 12; i++) { x = rand(); print g "," x "," a + x * a + 0.1 * rand() } } }' >lines.csv
awk 'BEGIN { srand(2); print "group,x,y"; for (g = 0; g < 5000; g++) { a = rand(); for (i = 0; i < 2; i++) { x = rand(); print g "," x "," a + x + 0.1 * rand() } } }' >pairs.csv
awk 'BEGIN { srand(4); print "district,shop,price,promo,week,sales"; for (d = 0; d < 8; d++) for (s = 0; s < 5; s++) { a = rand(); for (i = 0; i < 14; i++) { p = 1 + rand(); q = rand() < 0.5; print d "," d "-" s "," p "," q "," i "," int(20 * a + 10 * rand() + 5 * q - 3 * p + 5) } } }' >shops.csv
awk 'BEGIN { srand(5); print "group,a,b,c,d,e,f,y"; for (g = 0; g < 200; g++) { u = rand(); for (i = 0; i < 25; i++) { a = rand(); b = rand(); c = rand(); d = exp(3 * rand()); e = rand() < 0.5; f = rand(); print g "," a "," b "," c "," d "," e "," f "," exp(u + a * b + sin(6 * c) / 2 + log(d) / 5 + e * f + 0.2 * rand()) } } }' >six.csv
awk 'BEGIN { srand(3); print "group,x,y"; for (g = 0; g < 5000; g++) { a = rand(); for (i = 0; i < 200; i++) { x = rand(); print g "," x "," a + x + 0.1 * rand() } } }' >million.csv

echo 'file,rows,groups,models,processor s,MiB' >rows
# row NAME FILE FORMULA GROUPS [FLAG] adds a row.
row() {
	local models=all
	[ "${5-}" = --instant ] && models=--instant
	/usr/bin/time -f '%U %S %M' -o took "$program" fit "$2" "$3" "${@:5}" --out out.fit --overwrite --quiet >/dev/null
	awk -v name="$1" -v rows=$(($(wc -l <"$2") - 1)) -v groups="$4" -v models="$models" \
		'{ printf "\"%s\",%d,%d,%s,%.1f,%.0f\n", name, rows, groups, models, $1 + $2, $3 / 1024 }' took >>rows
	rm -rf out.fit
}
row "data example" prices.csv 'price ~ age | product' 60
row "data example" prices.csv 'price ~ age | product' 60 --instant
row "its first rows" few.csv 'price ~ age | product' 6
row "lines" lines.csv 'y ~ x | group' 40
row "lines" lines.csv 'y ~ x | group' 40 --instant
row "shops in districts" shops.csv 'sales ~ price + promo + week | district/shop' 40
row "shops in districts" shops.csv 'sales ~ price + promo + week | district/shop' 40 --instant
row "six columns" six.csv 'y ~ a + b + c + d + e + f | group' 200
row "six columns" six.csv 'y ~ a + b + c + d + e + f | group' 200 --instant
row "groups of two points" pairs.csv 'y ~ x | group' 5000 --instant
row "groups of 200 points (fit takes a sample)" million.csv 'y ~ x | group' 5000 --instant
cp rows "$table"
