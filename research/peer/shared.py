"""What compare.py and compare_encoders.py both do: run acqnp and PyTorch, name versions, tell why a run failed."""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
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


class Failed(Exception):
    """A run that failed. The text is its reason, in one line."""


def environment(threads):
    """Returns the environment for PyTorch on a CPU: the threads, the named BLAS, and no other tuning."""
    tuning = {"OPENBLAS_CORETYPE", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_"}
    env = {k: v for k, v in os.environ.items() if k not in tuning}
    env.update({"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "CUDA_VISIBLE_DEVICES": ""})
    if os.environ.get("OPENBLAS_DIR"):
        directories = [os.path.abspath(d) for d in os.environ["OPENBLAS_DIR"].split(":")]
        env["LD_LIBRARY_PATH"] = ":".join(directories + [d for d in [env.get("LD_LIBRARY_PATH")] if d])
    return env


def attempt(command, limit=None, **options):
    """Returns what a command prints. Raises Failed with its reason if it fails or takes more than limit seconds."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=limit, **options)
    except subprocess.TimeoutExpired:
        raise Failed(f"took more than {limit} s")
    if done.returncode != 0:
        raise Failed(reason(done.stderr) or f"exit code {done.returncode}")
    return done.stdout


def reason(text):
    """Returns the line that says why a program failed: a Python exception's, or the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Compiler|Unsupported)\b.*: ", line)]
    return (named or lines or [""])[-1][:200]


def output(command, **options):
    """Returns what a command prints. Exits if the command fails."""
    try:
        return attempt(command, **options)
    except Failed as failed:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(command)}: {failed}")


def check_blas(a):
    """Returns a line about the BLAS that PyTorch uses. Exits if it is slow."""
    version, seconds, *names = output([a.python, "-c", CHECK_BLAS, str(a.threads)], env=environment(a.threads)).split()
    gflops = 2 * 2048 ** 3 / float(seconds) / 1e9
    text = f"PyTorch {version}, {', '.join(names) or 'BLAS of its own'}: 2048 x 2048 product in {1e3 * float(seconds):.0f} ms, {gflops:.0f} GFLOP/s"
    if gflops < LEAST_GFLOPS * a.threads:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {text}: the BLAS is too slow to compare with, see compare.py --help for a better one")
    return text


def processor():
    """Returns the processor's name and what it has of the instructions that matter here."""
    with open("/proc/cpuinfo") as f:
        text = f.read()
    flags = set(re.search(r"flags\s*:(.*)", text).group(1).split())
    has = [name for name, flag in (("AVX2", "avx2"), ("AVX-512", "avx512f"), ("AVX512_BF16", "avx512_bf16"), ("AMX", "amx_bf16")) if flag in flags]
    name = re.search(r"model name\s*:(.*)", text).group(1).strip()
    return f"{name} ({', '.join(has)})"


def bench(a, config, precision, keys):
    """Returns the figures of acqnp bench with the given configuration keys."""
    command = [a.acqnp, "bench", "--json", "--quiet", "--device", "cpu", "--precision", precision, "--config", f"{ROOT}/configs/{config}.yaml",
               "--points", str(a.points), "--threads", str(a.threads)]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]

    def run(steps):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        figures = json.loads(attempt([*command, "--steps", str(steps)], env={**os.environ, "GOMAXPROCS": str(a.threads)}))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return figures, 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    figures, longer = run(a.steps + 1 if a.processor_time else a.steps)
    if a.processor_time:
        _, shorter = run(1)
        figures["ms_median"] = (longer - shorter) / a.steps
    return figures


def torch(a, script, flags):
    """Returns the figures of a script of this folder."""
    command = [a.python, os.path.join(HERE, script), "--points", str(a.points), "--steps", str(a.steps), "--warmup", str(a.warmup),
               "--threads", str(a.threads), *flags]
    figures = json.loads(attempt(command, limit=a.limit, env=environment(a.threads)))
    if a.processor_time:
        figures["ms_median"] = figures["cpu_ms_median"]
    return figures


def add_arguments(p, steps, warmup):
    """Adds the flags of both comparisons."""
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--steps", type=int, default=steps, help="of a round that count")
    p.add_argument("--warmup", type=int, default=warmup, help="steps of PyTorch before those; acqnp makes 3")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--points", type=int, default=53, help="of a group, half of them context")
    p.add_argument("--limit", type=int, default=1200, help="seconds that one run of PyTorch may take")
    p.add_argument("--processor-time", action="store_true", help="measure that instead of time by the clock, on a busy machine; with --threads 1")
    p.add_argument("--acqnp", help="the program (default: built with go)")
    p.add_argument("--python", default="/usr/bin/python3", help="a Python that has PyTorch (%(default)s)")


def some(of):
    """Returns an argparse type: a list, separated by commas, of some of the given names."""
    def parse(text):
        for name in text.split(","):
            if name not in of:
                raise argparse.ArgumentTypeError(f"{name}: want some of {', '.join(of)}")
        return text.split(",")
    return parse


def with_program(a, compare):
    """Runs a comparison, with an acqnp built for it if none is named."""
    with tempfile.TemporaryDirectory() as directory:
        if not a.acqnp:
            a.acqnp = os.path.join(directory, "acqnp")
            output(["go", "build", "-o", a.acqnp, "./cmd/acqnp"], cwd=ROOT, env={**os.environ, "CGO_ENABLED": "0"})
        compare(a)
