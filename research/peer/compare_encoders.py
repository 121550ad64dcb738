#!/usr/bin/env python3
"""Compares a training step of acqnp with PyTorch's for models with attention or a transformer; prints a markdown table.

    python3 research/peer/compare_encoders.py --python venv/bin/python --threads 2
    python3 research/peer/compare_encoders.py --sizes small --models acqnp --modes eager,compile --rounds 2

encoder_step.py has PyTorch's side and says what a mode is; "+split" after a mode is its --split. On both sides ACQNP has
the residual adaptor, the loss is the mean over the target points, and no r is computed for other points. A group has 53
points, 26 of them context. The sizes:

    small   16 groups, 32 levels, all widths 64
    paper   128 groups, 50 levels, all widths 128

A transformer has 6 layers, 4 heads and feed-forward layers of 128; attention has 8 heads. Every round runs acqnp and then
each mode of PyTorch with equal threads; PyTorch's malloc keeps its memory (--tuned). The table has the smallest median
step of all rounds. "times fp32" is PyTorch's best mode in float32 over acqnp, which computes in float32; "times bf16" is its
best mode of mixed precision. Other programs' work on the same cores slows PyTorch more than acqnp, whose threads do not
wait in loops: measure on an idle machine. The load average before and after is printed.
"""
import argparse
import os
import sys

from shared import Failed, add_arguments, bench, check_blas, some, torch, with_program

SIZES = {"small": {"batch": 16, "n-tau": 32, "width": 64}, "paper": {"batch": 128, "n-tau": 50, "width": 128}}
MODELS, AGGREGATIONS = ["cnp", "cqnp", "acqnp"], ["attention", "transformer"]
MODES = ["eager", "compile", "eager+split", "compile+split", "compile-bf16+split"]
DEPTH, ADAPTOR_DEPTH = 3, 5


def measure(a, case, way):
    """Returns the figures of one run of acqnp or of a mode of PyTorch. Exits if it fails."""
    size, model, aggregation = case
    try:
        if way == "acqnp":
            return bench(a, f"lissajous/{model}", "fp32", our_keys(SIZES[size], model, aggregation))
        flags = ["--model", model, "--aggregation", aggregation, "--tuned", "--mode", way.removesuffix("+split")]
        flags += ["--split"] if way.endswith("+split") else []
        for key, value in SIZES[size].items():
            flags += ["--" + key, str(value)]
        return torch(a, "encoder_step.py", flags)
    except Failed as failed:
        sys.exit(f"compare_encoders.py: {' '.join(case)}, {way}: {failed}")


def our_keys(size, model, aggregation):
    """Returns the configuration keys of a case."""
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
    return keys


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
    for flag, of in (("--sizes", list(SIZES)), ("--models", MODELS), ("--aggregations", AGGREGATIONS)):
        p.add_argument(flag, default=",".join(of), type=some(of), help="some of " + ", ".join(of))
    p.add_argument("--modes", default=",".join(MODES), type=lambda v: v.split(","), help="of encoder_step.py (%(default)s)")
    add_arguments(p, steps=20, warmup=5)
    return p.parse_args()


def main():
    with_program(arguments(), compare)


if __name__ == "__main__":
    main()
