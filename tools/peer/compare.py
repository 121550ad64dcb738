#!/usr/bin/env python3
"""Compares a training step of acqnp with PyTorch's for each model, and prints a markdown table.

    OPENBLAS_DIR=DIR python3 tools/peer/compare.py --rounds 5 --threads 2
    python3 tools/peer/compare.py --models acqnp,cqnp --steps 5 --acqnp ./acqnp

The size is lissajous': 128 functions of 53 points, 26 of them context, 50 quantile levels, the paper's widths, float32.
Every round runs acqnp, PyTorch as it comes, and PyTorch tuned (--tuned: malloc keeps its memory, OpenBLAS uses AVX-512
if the processor has it), one after the other with equal threads. The table has each figure's best round. Progress is
shown on standard error. Rows are the decoder's: functions x points, times levels or bootstraps where a model has
them. Memory is the peak of the whole process; its ratio is to the better of PyTorch's two.

PyTorch is measured on a fast BLAS only. Debian's python3-torch loads the system's libblas.so.3, which is the slow
reference library unless OpenBLAS is installed:

    apt-get install libopenblas0-pthread

If you cannot install it, unpack it and name the directory of its libblas.so.3 (separate several by colons). Both ways
of running PyTorch then use it:

    apt-get download libopenblas0-pthread && dpkg-deb -x libopenblas0-pthread_*.deb ob
    OPENBLAS_DIR=ob/usr/lib/x86_64-linux-gnu/openblas-pthread python3 tools/peer/compare.py
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MODELS = ["cnp", "canp", "bnp", "cqnp", "acqnp"]
SCRIPT = {"canp": "canp_bnp_step.py", "bnp": "canp_bnp_step.py"}  # the others: torch_step.py
LEAST_GFLOPS = 8  # for each thread; the reference library is below, every tuned one far above

CHECK_BLAS = """
import sys, time, torch
torch.set_num_threads(int(sys.argv[1]))
a, best = torch.rand(2048, 2048), 1e9
for _ in range(5):
    start = time.perf_counter()
    a @ a
    best = min(best, time.perf_counter() - start)
import os
names = {os.path.basename(os.path.realpath(l.split()[-1])) for l in open("/proc/self/maps") if ("blas.so" in l or "blasp" in l or "libmkl" in l) and "cublas" not in l}
print(torch.__version__, best, *sorted(names))
"""


def environment(threads):
    """Returns the environment for PyTorch, plain or tuned: the threads, the named BLAS, and no other tuning."""
    tuning = {"OPENBLAS_CORETYPE", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_"}
    env = {k: v for k, v in os.environ.items() if k not in tuning}
    env.update({"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)})
    if os.environ.get("OPENBLAS_DIR"):
        directories = [os.path.abspath(d) for d in os.environ["OPENBLAS_DIR"].split(":")]
        env["LD_LIBRARY_PATH"] = ":".join(directories + [d for d in [env.get("LD_LIBRARY_PATH")] if d])
    return env


def output(command, **options):
    """Returns what a command prints. Exits if the command fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"compare.py: exit code {done.returncode} of {' '.join(command)}")
    return done.stdout


def check_blas(a):
    """Returns a line about the BLAS that PyTorch uses. Exits if it is slow."""
    version, seconds, *names = output([a.python, "-c", CHECK_BLAS, str(a.threads)], env=environment(a.threads)).split()
    gflops = 2 * 2048 ** 3 / float(seconds) / 1e9
    text = f"PyTorch {version}, {', '.join(names) or 'BLAS of its own'}: 2048 x 2048 product in {1e3 * float(seconds):.0f} ms, {gflops:.0f} GFLOP/s"
    if gflops < LEAST_GFLOPS * a.threads:
        sys.exit(f"compare.py: {text}: the BLAS is too slow to compare with, see --help for a better one")
    return text


def measure(a, model, way):
    """Returns the figures of one run of acqnp, torch or tuned."""
    if way == "acqnp":
        command = [a.acqnp, "bench", "--json", "--quiet", "--device", "cpu", "--config", f"{ROOT}/configs/lissajous/{model}.yaml",
                   "--points", str(a.points), "--steps", str(a.steps), "--threads", str(a.threads),
                   "--set", f"train.batch_size={a.batch}"]
        return json.loads(output(command, env={**os.environ, "GOMAXPROCS": str(a.threads)}))
    command = [a.python, os.path.join(HERE, SCRIPT.get(model, "torch_step.py")), "--model", model, "--points", str(a.points),
               "--batch", str(a.batch), "--steps", str(a.steps), "--warmup", str(a.warmup), "--threads", str(a.threads)]
    if way == "tuned":
        command.append("--tuned")
    return json.loads(output(command, env=environment(a.threads)))


def row(model, runs):
    """Returns a line of the table from the runs of acqnp, torch and tuned."""
    def best(way, figure, choose=min):
        return choose(r[figure] for r in runs[way])

    ours, plain, tuned = (best(way, "ms_median") for way in ("acqnp", "torch", "tuned"))
    mib, theirs = best("acqnp", "peak_mib"), min(best("torch", "peak_mib"), best("tuned", "peak_mib"))
    cells = [model, f"{ours:.1f}", f"{best('acqnp', 'rows_per_s', max):,.0f}", f"{plain:.1f}", f"{tuned:.1f}",
             f"{plain / ours:.2f}", f"{tuned / ours:.2f}", f"{100 * best('acqnp', 'peak_share', max):.0f}%",
             f"{mib:.0f}", f"{theirs:.0f}", f"{theirs / mib:.1f}"]
    return "| " + " | ".join(cells) + " |"


def compare(a):
    blas = check_blas(a)
    print(blas, file=sys.stderr)
    runs = {model: {"acqnp": [], "torch": [], "tuned": []} for model in a.models}
    for number in range(a.rounds):
        for model in a.models:
            for way, done in runs[model].items():
                done.append(measure(a, model, way))
                print(f"round {number + 1}/{a.rounds}, {model}, {way}: {done[-1]['ms_median']:.1f} ms", file=sys.stderr)
    print(f"{blas}. {a.threads} threads, {a.batch} functions of {a.points} points; best of {a.rounds} rounds of {a.steps} steps.\n")
    print("| model | acqnp ms | rows/s | PyTorch ms | tuned ms | times PyTorch | times tuned | of FMA peak | MiB | PyTorch MiB | ratio |")
    print("| --- |" + " ---: |" * 10)
    for model in a.models:
        print(row(model, runs[model]))


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", default=",".join(MODELS), help="some of %(default)s")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--steps", type=int, default=10, help="of a round that count")
    p.add_argument("--warmup", type=int, default=3, help="steps of PyTorch before those; acqnp makes 3")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--points", type=int, default=53, help="of a function, half of them context")
    p.add_argument("--batch", type=int, default=128, help="functions")
    p.add_argument("--acqnp", help="the program (default: built with go)")
    p.add_argument("--python", default="/usr/bin/python3", help="a Python that has PyTorch (%(default)s)")
    a = p.parse_args()
    a.models = a.models.split(",")
    if not set(a.models) <= set(MODELS):
        p.error(f"--models: some of {', '.join(MODELS)}")
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
