#!/bin/sh
# Draws the pictures of docs/img and research/img with the program and those of research, one function for each:
#   scripts/pictures.sh            all of them
#   scripts/pictures.sh fit pit    these
# The pictures of prices are made from nothing, in bin/pictures, in some minutes of two cores; model is a drawing.
# The others show runs of $RUNS (runs) that train for minutes or hours. If a run is not there, the picture stays as it is, and the
# commands that train the run are printed. Speed-flow and FreyFace read their data from $DATA (data).
# research/league writes research/league/results/differences.svg.
set -eu
cd "$(dirname "$0")/.."
img=$PWD/docs/img
research=$PWD/research/img
work=$PWD/bin/pictures
runs=$(realpath "${RUNS:-runs}")
data=$(realpath "${DATA:-data}")
acqnp() { nice "$program" --quiet "$@"; }
program=$PWD/acqnp
figures() { nice go run -C research ./figures "$@"; }

# have succeeds if runs are there. Otherwise it prints their names and the commands that train them.
have() { # COMMANDS RUN...
	commands=$1
	shift
	for run in "$@"; do
		[ -d "$runs/$run/checkpoints" ] && continue
		printf '%s: kept, as there is no run %s\n%s\n' "$name" "$runs/$run" "$commands"
		return 1
	done
}

# prices_data writes the example's data and what is known of two new products, and goes there.
prices_data() {
	mkdir -p "$work"
	cd "$work"
	acqnp data example --out prices.csv --overwrite >/dev/null
	cat >context.csv <<-'CSV'
		product,age,price
		kettle,0.5,310
		kettle,1.0,540
		kettle,1.8,270
		kettle,2.5,430
		kettle,3.2,210
		kettle,4.1,330
		kettle,5.0,160
		lamp,0.4,610
		lamp,1.5,880
		lamp,2.2,470
		lamp,3.9,640
		lamp,5.5,330
	CSV
}

model() { # encoder, levels, decoder and mixture of ACQNP
	python3 research/img/model.py >"$img/model.svg"
}

life() { # six countries that a fit has not seen
	mkdir -p "$work"
	acqnp fit examples/life/countries.csv 'life ~ year | country' --out "$work/life.fit" --overwrite >/dev/null
	acqnp predict "$work/life.fit" --context examples/life/known.csv --targets examples/life/later.csv --out "$work/life.csv" --plot "$img/life.svg" --overwrite
}

fit() { # two new products, by acqnp fit
	prices_data
	acqnp fit prices.csv 'price ~ age | product' --overwrite >fit.txt
	acqnp predict prices.fit --context context.csv --grid=0.2:6:100 --out predictions.csv --plot "$img/fit.svg" --overwrite
}

prices() { # the same by the network of the configuration that init writes
	prices_data
	acqnp init --csv prices.csv --group product --x age --y price --out prices.yaml --overwrite >init.txt
	acqnp train --config prices.yaml --overwrite >train.txt
	acqnp predict --run runs/prices/seed-0 --context context.csv --grid=0.2:6:100 --out predictions.csv --plot "$img/prices.svg" --overwrite
}

pit() { # the calibration of acqnp fit --instant on 12 products that it has not seen
	prices_data
	awk -F, 'NR == 1 || substr($1, 2) + 0 <= 48' prices.csv >first48.csv
	awk -F, 'NR == 1 || substr($1, 2) + 0 > 48 && NR % 8 == 0' prices.csv >known.csv
	awk -F, 'NR == 1 || substr($1, 2) + 0 > 48 && NR % 8 != 0' prices.csv >held-out.csv
	acqnp fit first48.csv 'price ~ age | product' --instant --overwrite >first48.txt
	acqnp score first48.fit --context known.csv --targets held-out.csv --plot "$img/pit.svg" --overwrite
}

quickstart_run='    acqnp train --config configs/quickstart.yaml'

quickstart() { # six whole curves
	have "$quickstart_run" quickstart/seed-0 || return 0
	acqnp plot fit --run "$runs/quickstart/seed-0" --groups 6 --out "$img/quickstart.svg" --overwrite
}

serve() { # the page of acqnp serve, in a headless Chromium
	have "$quickstart_run" quickstart/seed-0 || return 0
	browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
		echo "serve: kept, as there is no chromium in PATH"
		return 0
	}
	points='-1.9,-0.2;-1.3,-1;-0.8,-1.33;-0.6,0.9;-0.1,-1.2;0.2,1.2;0.5,-1.2;1.05,-0.6;1.2,1.4;1.7,0.55;2.07,0.05'
	"$program" serve --quiet --run "$runs/quickstart/seed-0" --listen 127.0.0.1:8397 &
	server=$!
	trap 'kill "$server"' EXIT # also where the browser fails
	sleep 3
	"$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,660 --virtual-time-budget=8000 \
		--screenshot="$img/serve.png" "http://127.0.0.1:8397/#points=$points" 2>/dev/null
	trap - EXIT
	kill "$server"
}

one_pass() { # three pairs of sines by a mixture in one pass, after two minutes of one core
	have "    acqnp train --config configs/double-sine/best.yaml --precision bf16 --threads 1" double-sine/best/seed-0 || return 0
	acqnp plot fit --run "$runs/double-sine/best/seed-0" --groups 3 --out "$img/one-pass.png" --overwrite
}

speed_flow() { # the density of speed over flow, after 3000 steps
	have "    acqnp train --config configs/speed-flow/acqnp.yaml --set train.steps=3000 --data-dir $data --run-dir $runs/speed-flow-3000/acqnp" speed-flow-3000/acqnp || return 0
	mkdir -p "$work"
	awk -F, -v OFS=, 'BEGIN { print "group,flow,speed" } FNR > 1 { n = split(FILENAME, part, "/"); sub(".csv", "", part[n]); print part[n], $(NF - 1), $NF }' \
		"$data/speed-flow/lane2.csv" "$data/speed-flow/lane3.csv" >"$work/lanes.csv"
	acqnp predict --run "$runs/speed-flow-3000/acqnp" --context "$work/lanes.csv" --grid=100:2500:150 --num-quantiles 30 \
		--out "$work/lanes-predicted.csv" --plot "$img/speed-flow.png" --overwrite
}

freyface() { # three completed faces by three models at the paper's length
	have "    acqnp train --config configs/freyface/MODEL.yaml --data-dir $data --run-dir $runs/frey/MODEL-0    # acqnp, cqnp and cnp" frey/acqnp-0 frey/cqnp-0 frey/cnp-0 || return 0
	figures completion --groups 3 --data-dir "$data" --out "$research/freyface.png" "$runs/frey/acqnp-0" "$runs/frey/cqnp-0" "$runs/frey/cnp-0"
}

lissajous() { # four whole curves after 400,000 steps, an hour of one core
	have "    acqnp train --config configs/lissajous/acqnp-attention-small.yaml --set train.steps=400000 --set train.learning_rate=2e-3 --run-dir $runs/lissajous-400k" \
		lissajous-400k || return 0
	figures components --groups 4 --out "$research/lissajous.png" "$runs/lissajous-400k"
}

equal_time_rbf() { # one curve of rbf by three aggregations after 20 seconds each
	have "    /usr/bin/python3 research/equal-time/equal_time.py --benchmarks rbf --likelihoods gaussian --seconds 20 --seeds 0 --runs $runs/equal-time" \
		equal-time/rbf/gaussian-mean/seed-0 equal-time/rbf/gaussian-attention/seed-0 equal-time/rbf/gaussian-transformer/seed-0 || return 0
	acqnp plot fit --run "$runs/equal-time/rbf/gaussian-mean/seed-0" --run "$runs/equal-time/rbf/gaussian-attention/seed-0" \
		--run "$runs/equal-time/rbf/gaussian-transformer/seed-0" --out "$research/equal-time-rbf.svg" --overwrite
}

one_pass_seconds() { # log-likelihoods after seconds, from the table
	python3 research/img/one_pass_seconds.py
}

gpu_steps() { # the time of a training step on a GPU, from the table
	python3 research/img/gpu_steps.py
}

[ $# -gt 0 ] || set -- model life fit prices pit gpu-steps one-pass-seconds quickstart serve one-pass speed-flow freyface lissajous equal-time-rbf
for name in "$@"; do
	case $name in
	model | life | fit | prices | pit | gpu-steps | one-pass-seconds | quickstart | serve | one-pass | speed-flow | freyface | lissajous | equal-time-rbf) ;;
	*)
		echo "pictures.sh: found $name, expected the name of a picture that docs/img has" >&2
		exit 2
		;;
	esac
	(
		"$(echo "$name" | tr - _)"
	)
done
