#!/usr/bin/env python3
"""Compares a training step of acqnp with PyTorch's best mode for each model, and prints markdown tables.

    python3 research/peer/compare.py --python venv/bin/python --threads 2 --precision fp32,bf16
    python3 research/peer/compare.py --python venv/bin/python --models acqnp,cqnp --modes eager,eager-bf16 --steps 3 --warmup 1
    python3 research/peer/compare.py --python venv/bin/python --threads 1 --processor-time       # on a busy machine
    OPENBLAS_DIR=DIR python3 research/peer/compare.py --modes eager,eager+plain,eager-bf16

The size is lissajous': 128 groups of 53 points, 26 of them context, 50 quantile levels, the paper's widths. Every
round runs acqnp in each --precision, and PyTorch in each mode, one after the other with equal threads. The modes:

    eager           float32
    eager-bf16      torch.autocast: linear layers in bfloat16
    compile         torch.compile, float32; it needs g++
    compile-bf16    both

In all of them malloc keeps its memory, and OpenBLAS uses AVX-512 if the processor has it. A mode can end in "+plain",
which leaves both as they come, or in "+no-onednn", where PyTorch does not use oneDNN, its library for bfloat16.

The tables have each figure's best round. "Times" is PyTorch's best mode over acqnp, whatever their precisions; "times fp32"
is PyTorch's best mode in float32 over acqnp. A mode that fails is named below the tables with its reason. Rows are the
decoder's: groups x points, times levels or bootstraps where a model has them. Memory is the peak of the whole process,
PyTorch's that of its best mode. Progress is shown on standard error.

PyTorch of PyPI brings its own BLAS. Debian's python3-torch loads the system's libblas.so.3, which is the slow
reference library unless OpenBLAS is installed:

    apt-get install libopenblas0-pthread

If you cannot install it, unpack it and name the directory of its libblas.so.3 (separate several by colons):

    apt-get download libopenblas0-pthread && dpkg-deb -x libopenblas0-pthread_*.deb ob
    OPENBLAS_DIR=ob/usr/lib/x86_64-linux-gnu/openblas-pthread python3 research/peer/compare.py
"""
import argparse
import os
import sys

from shared import Failed, add_arguments, bench, check_blas, processor, some, torch, with_program

MODELS = ["cnp", "canp", "bnp", "cqnp", "acqnp"]
PRECISIONS = ["fp32", "bf16"]
SCRIPT = {"canp": "canp_bnp_step.py", "bnp": "canp_bnp_step.py"}  # the others: torch_step.py
MODES = ["eager", "eager-bf16", "compile", "compile-bf16"]
ALL_MODES = [mode + end for end in ("", "+plain", "+no-onednn") for mode in MODES]
SCRIPT_MODE = {"eager": "eager", "eager-bf16": "amp", "compile": "compile", "compile-bf16": "amp-compile"}


def measure(a, model, way):
    """Returns the figures of one run of acqnp in a precision, or of a mode of PyTorch."""
    if way in PRECISIONS:
        return bench(a, f"lissajous/{model}", way, {"train.batch_size": a.batch})
    mode, _, end = way.partition("+")
    flags = ["--model", model, "--batch", str(a.batch), "--mode", SCRIPT_MODE[mode]]
    flags += {"": ["--tuned"], "plain": [], "no-onednn": ["--tuned", "--no-onednn"]}[end]
    return torch(a, SCRIPT.get(model, "torch_step.py"), flags)


def run_all(a):
    """Returns the runs of each model and way, and the reasons of those that failed."""
    runs = {model: {way: [] for way in [*a.precision, *a.modes]} for model in a.models}
    failures = {}
    for number in range(a.rounds):
        for model in a.models:
            for way, done in runs[model].items():
                if (model, way) in failures:
                    continue
                try:
                    done.append(measure(a, model, way))
                    said = f"{done[-1]['ms_median']:.1f} ms, load average {os.getloadavg()[0]:.2f}"
                except Failed as failed:
                    failures[model, way] = said = str(failed)
                print(f"round {number + 1}/{a.rounds}, {model}, {way}: {said}", file=sys.stderr)
    return runs, failures


def least(runs, figure):
    """Returns the least of a figure for each way that ran."""
    return {way: min(r[figure] for r in done) for way, done in runs.items() if done}


def row(model, precision, runs, modes):
    """Returns a line of the table: acqnp in a precision beside PyTorch's best mode."""
    ms, mib = least(runs, "ms_median"), least(runs, "peak_mib")
    ours, ran = ms[precision], [mode for mode in modes if mode in ms]
    best = min(ran, key=ms.get, default=None)
    single = min((ms[mode] for mode in ran if "bf16" not in mode), default=None)
    rate = 1e3 / ours * runs[precision][0]["rows_per_step"]
    cells = [model, precision, f"{ours:.1f}", f"{rate:,.0f}"]
    cells += [best, f"{ms[best]:.1f}", f"{ms[best] / ours:.2f}"] if best else ["none", "", ""]
    cells += [f"{single / ours:.2f}" if single else "", f"{mib[precision]:.0f}", f"{mib[best]:.0f}" if best else ""]
    return "| " + " | ".join(cells) + " |"


def compare(a):
    versions = f"{check_blas(a)}. {processor()}, {a.threads} threads"
    print(versions, file=sys.stderr)
    runs, failures = run_all(a)
    print("| model | acqnp | ms | rows/s | PyTorch's best | ms | times | times fp32 | MiB | PyTorch, MiB |")
    print("| --- | --- |" + " ---: |" * 2 + " --- |" + " ---: |" * 5)
    for model in a.models:
        for precision in a.precision:
            if runs[model][precision]:
                print(row(model, precision, runs[model], a.modes))
    print("\nPyTorch, ms:\n\n| model | " + " | ".join(a.modes) + " |\n| --- |" + " ---: |" * len(a.modes))
    for model in a.models:
        ms = least(runs[model], "ms_median")
        print("| " + " | ".join([model, *(f"{ms[mode]:.1f}" if mode in ms else "failed" for mode in a.modes)]) + " |")
    what = "processor time" if a.processor_time else "time by the clock"
    print(f"\n{versions}; {what}, {a.batch} groups of {a.points} points; best of {a.rounds} rounds of {a.steps} steps.")
    for (model, way), why in failures.items():
        print(f"{model}, {'acqnp ' if way in PRECISIONS else ''}{way}: failed: {why}")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", default=",".join(MODELS), type=some(MODELS), help="some of %(default)s")
    p.add_argument("--precision", default="fp32", type=some(PRECISIONS), help="of acqnp: some of fp32,bf16 (%(default)s)")
    p.add_argument("--modes", default=",".join(MODES), type=some(ALL_MODES), help="of PyTorch (%(default)s)")
    p.add_argument("--batch", type=int, default=128, help="groups")
    add_arguments(p, steps=10, warmup=3)
    return p.parse_args()


def main():
    with_program(arguments(), compare)


if __name__ == "__main__":
    main()
