#!/usr/bin/env python3
"""Compares a training step of acqnp with PyTorch's for models with attention or a transformer; prints a markdown table.

    python3 tools/peer/compare_encoders.py --python venv/bin/python --threads 2
    python3 tools/peer/compare_encoders.py --sizes small --models acqnp --modes eager,compile --rounds 2

encoder_step.py has PyTorch's side and says what a mode is; "+split" after a mode is its --split. On both sides ACQNP has
the residual adaptor, the loss is the mean over the target points, and no r is computed for other points. A function has 53
points, 26 of them context. The sizes:

    small   16 functions, 32 levels, all widths 64
    paper   128 functions, 50 levels, all widths 128

A transformer has 6 layers, 4 heads and feed-forward layers of 128; attention has 8 heads. Every round runs acqnp and then
each mode of PyTorch with equal threads; PyTorch's malloc keeps its memory (--tuned). The table has the smallest median
step of all rounds. "times fp32" is PyTorch's best mode in float32 over acqnp, which computes in float32; "times bf16" is its
best mode of mixed precision. Other programs' work on the same cores slows PyTorch more than acqnp, whose threads do not
wait in loops: measure on an idle machine. The load average before and after is printed.
"""
import argparse
import json
import os
import sys
import tempfile

from compare import HERE, ROOT, check_blas, environment, output

SIZES = {"small": {"batch": 16, "n-tau": 32, "width": 64}, "paper": {"batch": 128, "n-tau": 50, "width": 128}}
MODELS, AGGREGATIONS = ["cnp", "cqnp", "acqnp"], ["attention", "transformer"]
MODES = ["eager", "compile", "eager+split", "compile+split", "compile-bf16+split"]
DEPTH, ADAPTOR_DEPTH = 3, 5
POINTS = 53


def measure(a, case, way):
    """Returns the figures of one run of acqnp or of a mode of PyTorch."""
    size, model, aggregation = case
    s = SIZES[size]
    if way == "acqnp":
        return json.loads(output(our_command(a, s, model, aggregation), env={**os.environ, "GOMAXPROCS": str(a.threads)}))
    command = [a.python, os.path.join(HERE, "encoder_step.py"), "--model", model, "--aggregation", aggregation, "--tuned",
               "--mode", way.removesuffix("+split"), *(["--split"] if way.endswith("+split") else []), "--points", str(POINTS),
               "--steps", str(a.steps), "--warmup", str(a.warmup), "--threads", str(a.threads)]
    for key, value in s.items():
        command += ["--" + key, str(value)]
    return json.loads(output(command, env={**environment(a.threads), "CUDA_VISIBLE_DEVICES": ""}))


def our_command(a, size, model, aggregation):
    width = size["width"]
    keys = {"model.aggregation": aggregation, "model.representation": width, "model.encoder": widths(width, DEPTH),
            "model.decoder": widths(width, DEPTH), "train.batch_size": size["batch"], "train.loss": "targets"}
    if model != "cnp":
        keys["train.num_tau"] = size["n-tau"]
    if model == "acqnp":
        keys |= {"model.adaptor": widths(width, ADAPTOR_DEPTH), "model.adaptor_form": "residual"}
    if aggregation == "attention":
        keys |= {"model.key_encoder": widths(width, 1), "model.query_encoder": widths(width, 1), "model.heads": 8}
    else:
        keys |= {"model.layers": 6, "model.heads": 4, "model.feedforward": 128}
    command = [a.acqnp, "bench", "--json", "--quiet", "--device", "cpu", "--config", f"{ROOT}/configs/lissajous/{model}.yaml",
               "--points", str(POINTS), "--steps", str(a.steps), "--threads", str(a.threads)]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    return command


def widths(width, depth):
    return "[" + ", ".join([str(width)] * depth) + "]"


def row(a, case, runs):
    best = {way: min(r["ms_median"] for r in done) for way, done in runs.items()}
    mib = {way: min(r["peak_mib"] for r in done) for way, done in runs.items()}
    ours = best["acqnp"]

    def times(modes):
        least = min((best[m] for m in modes), default=None)
        return "" if least is None else f"{least / ours:.1f}"

    single, half = ([m for m in a.modes if ("bf16" in m) == mixed] for mixed in (False, True))
    least_mib = min(mib[m] for m in a.modes)
    return "| " + " | ".join([*case, f"{ours:.1f}", *(f"{best[m]:.1f}" for m in a.modes), times(single), times(half),
                              f"{mib['acqnp']:.0f}", f"{least_mib:.0f}"]) + " |"


def compare(a):
    blas = check_blas(a)
    print(f"{blas}; load average {os.getloadavg()[0]:.2f}", file=sys.stderr)
    cases = [(s, m, g) for s in a.sizes for m in a.models for g in a.aggregations]
    runs = {case: {way: [] for way in ["acqnp", *a.modes]} for case in cases}
    for number in range(a.rounds):
        for case in cases:
            for way, done in runs[case].items():
                done.append(measure(a, case, way))
                print(f"round {number + 1}/{a.rounds}, {' '.join(case)}, {way}: {done[-1]['ms_median']:.1f} ms, "
                      f"least {done[-1]['ms_min']:.1f}, load average {os.getloadavg()[0]:.2f}", file=sys.stderr)
    print(f"{blas}. {a.threads} threads; best of {a.rounds} rounds of {a.steps} steps; milliseconds.\n")
    print("| size | model | aggregation | acqnp | " + " | ".join(a.modes) + " | times fp32 | times bf16 | MiB | PyTorch MiB |")
    print("| --- | --- | --- |" + " ---: |" * (len(a.modes) + 5))
    for case in cases:
        print(row(a, case, runs[case]))


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def some(flag, of, default=None):
        p.add_argument(flag, default=",".join(default or of), type=lambda v: v.split(","), help="some of " + ", ".join(of))

    some("--sizes", list(SIZES))
    some("--models", MODELS)
    some("--aggregations", AGGREGATIONS)
    p.add_argument("--modes", default=",".join(MODES), type=lambda v: v.split(","), help="of encoder_step.py (%(default)s)")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--steps", type=int, default=20, help="of a round that count")
    p.add_argument("--warmup", type=int, default=5, help="steps of PyTorch before those; acqnp makes 3")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--acqnp", help="the program (default: built with go)")
    p.add_argument("--python", default="/usr/bin/python3", help="a Python that has PyTorch 2 (%(default)s)")
    a = p.parse_args()
    for flag, of in (("sizes", list(SIZES)), ("models", MODELS), ("aggregations", AGGREGATIONS)):
        if not set(getattr(a, flag)) <= set(of):
            p.error(f"--{flag}: some of {', '.join(of)}")
    return a


def main():
    a = arguments()
    with tempfile.TemporaryDirectory() as directory:
        if not a.acqnp:
            a.acqnp = os.path.join(directory, "acqnp")
            output(["go", "build", "-o", a.acqnp, "./cmd/acqnp"], cwd=ROOT, env={**os.environ, "CGO_ENABLED": "0"})
        compare(a)


if __name__ == "__main__":
    main()
