#!/usr/bin/python3
"""Trains aggregations and likelihoods for the same time and prints their log-likelihoods.

See README.md. It needs Debian's python3 and python3-yaml.
"""
import argparse
import collections
import csv
import json
import os
import resource
import statistics
import subprocess
import sys

import yaml

LIKELIHOODS = {"gaussian": "cnp", "quantile": "cqnp", "adaptive": "acqnp", "mixture": "cnp", "quantile-mixture": "cnp"}
HEADS = {"mixture": "gaussian-mixture", "quantile-mixture": "quantile-mixture"}  # they take one pass
PEAK = 1.6  # a Gaussian with this times the scale of an asymmetric Laplace distribution at 1/2 has its peak density
AGGREGATIONS = ["mean", "attention", "transformer"]
BENCHMARKS = ["sawtooth", "rbf", "matern52", "double-sine", "circle", "lissajous"]
HELD_OUT = ["speed-flow", "freyface"]  # data sets whose evaluation is all that is held out
CALIBRATION = 100, 500  # steps of the two trainings whose difference gives the time of a step


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--acqnp", default="./acqnp", help="the program")
    p.add_argument("--benchmarks", default=",".join(BENCHMARKS))
    p.add_argument("--aggregations", default=",".join(AGGREGATIONS))
    p.add_argument("--likelihoods", default=",".join(LIKELIHOODS), help="mixture:8 has 8 parts, adaptive:8 trains with 8 levels")
    p.add_argument("--seeds", default="0,1,2")
    p.add_argument("--seconds", type=float, default=60, help="processor time of a training")
    p.add_argument("--floor", type=float, default=0.01, help="model.sigma_floor of all models; of mixture 1.6 times it")
    p.add_argument("--rate", type=float, help="train.learning_rate of all models (default the configuration's)")
    p.add_argument("--batches", type=int, default=200, help="of an evaluation")
    p.add_argument("--threads", default="1")
    p.add_argument("--precision", default="auto", help="of the trainings")
    p.add_argument("--data-dir", default="data")
    p.add_argument("--runs", default="equal-time-runs", metavar="DIR", help="for configurations and run directories")
    p.add_argument("--out", default="equal-time.csv", metavar="FILE", help="gets a line for each run; runs in it are not repeated")
    p.add_argument("--table", metavar="FILE", help="write the means over the seeds of --out's targets as CSV, and train nothing")
    o = p.parse_args()
    if o.table:
        return write_table(o.out, o.table)
    done = read(o.out)
    for benchmark in o.benchmarks.split(","):
        for likelihood in o.likelihoods.split(","):
            for aggregation in o.aggregations.split(","):
                for seed in o.seeds.split(","):
                    if (benchmark, likelihood, aggregation, seed) not in done:
                        append(o.out, run(o, benchmark, likelihood, aggregation, seed))


def run(o, benchmark, likelihood, aggregation, seed):
    """Trains and evaluates one model; returns a line of the result."""
    folder = os.path.join(o.runs, benchmark, likelihood.replace(":", "-") + "-" + aggregation)
    os.makedirs(folder, exist_ok=True)
    config = os.path.join(folder, "config.yaml")
    with open(config, "w") as f:
        c = configuration(benchmark, likelihood, aggregation, o.floor, o.rate)
        yaml.safe_dump(c, f, sort_keys=False)
    step = step_time(o, config, folder)
    steps = round(o.seconds / step)
    directory = os.path.join(folder, "seed-" + seed)
    seconds = train(o, config, directory, steps, seed)
    batches = [] if benchmark in HELD_OUT else ["--batches", str(o.batches)]
    call(o, "eval", "--run", directory, *batches)
    with open(os.path.join(directory, "eval.json")) as f:
        e = json.load(f)
    line = dict(benchmark=benchmark, likelihood=likelihood, aggregation=aggregation, seed=seed, steps=steps,
                seconds=round(seconds, 1), context=round(e["context_ll"]["mean"], 4), target=round(e["target_ll"]["mean"], 4),
                context_error=e["context_ll"]["std_error"], target_error=e["target_ll"]["std_error"],
                rate=c["train"]["learning_rate"], step_ms=round(1000 * step, 3), crps=round(e["crps"], 5),
                within_50=e["coverage"]["0.5"], within_90=e["coverage"]["0.9"])
    print(*line.values(), flush=True)
    return line


def configuration(benchmark, likelihood, aggregation, floor, rate):
    """Returns the benchmark's small attention with another likelihood and aggregation."""
    likelihood, _, number = likelihood.partition(":")
    root = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(root, "..", "..", "configs", benchmark, f"acqnp-{'attention' if aggregation == 'mean' else aggregation}-small.yaml")) as f:
        c = yaml.safe_load(f)
    model, train = c["model"], c["train"]
    model.update(name=LIKELIHOODS[likelihood], aggregation=aggregation, sigma_floor=floor * (PEAK if likelihood == "mixture" else 1))
    train["learning_rate"] = rate or train["learning_rate"]
    if aggregation == "mean":
        for key in ("key_encoder", "query_encoder", "heads"):
            del model[key]
        train["loss"] = "all"
    if likelihood != "adaptive":
        del model["adaptor"], model["adaptor_form"]
    if LIKELIHOODS[likelihood] == "cnp":
        del train["num_tau"], train["levels"], c["eval"]["num_tau"], model["scale_form"]
    if likelihood in HEADS:
        model.update(head=HEADS[likelihood], parts=int(number or 20))
    elif number:
        train["num_tau"] = int(number)
    return c


def step_time(o, config, folder):
    """Returns the processor time of a training step, in seconds."""
    few, many = (train(o, config, os.path.join(folder, "calibration"), n, "0") for n in CALIBRATION)
    return (many - few) / (CALIBRATION[1] - CALIBRATION[0])


def train(o, config, directory, steps, seed):
    """Trains and returns the processor time that it took, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call(o, "train", "--config", config, "--run-dir", directory, "--overwrite", "--no-eval", "--seed", seed, "--precision", o.precision,
         "--set", f"train.steps={steps}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def call(o, *words):
    command = [o.acqnp, *words, "--threads", o.threads, "--data-dir", o.data_dir, "--quiet"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def read(path):
    """Returns the runs that a result file already has."""
    if not os.path.exists(path):
        return set()
    with open(path, newline="") as f:
        return {(r["benchmark"], r["likelihood"], r["aggregation"], r["seed"]) for r in csv.DictReader(f)}


def append(path, line):
    new = not os.path.exists(path)
    with open(path, "a", newline="") as f:
        w = csv.DictWriter(f, line)
        if new:
            w.writeheader()
        w.writerow(line)


def write_table(path, to):
    """Writes a line for each data set and likelihood: the mean of the targets over seeds and its standard error."""
    targets = collections.defaultdict(list)
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            targets[r["benchmark"], r["likelihood"], r["aggregation"]].append(float(r["target"]))
    with open(to, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["data", "likelihood", *(c for a in AGGREGATIONS for c in (a, a + " ±"))])
        for benchmark, likelihood in dict.fromkeys(k[:2] for k in targets):
            cells = []
            for a in AGGREGATIONS:
                of = targets[benchmark, likelihood, a]
                cells.append(f"{statistics.mean(of):.3f}" if of else "")
                cells.append(f"{statistics.stdev(of) / len(of) ** 0.5:.3f}" if len(of) > 1 else "")
            w.writerow([benchmark, likelihood, *cells])


if __name__ == "__main__":
    main()
