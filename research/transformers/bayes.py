"""The best that any model can do on tnp-sawtooth or tnp-gp: the exact posterior on a grid of the process's
parameters, for each number of context points. Prints the mean log density of a target, alone and of 16
together, with its standard error over groups. Needs NumPy.

    python3 research/transformers/bayes.py --benchmark tnp-sawtooth --groups 40 --seed 0
"""
import argparse

import numpy as np

POINTS, TARGETS = 144, 16  # of a group, and of these that are predicted


def middles(low, high, number):
    """The middles of equal parts of an interval."""
    return low + (high - low) * (np.arange(number) + 0.5) / number


def positions(random, n):
    """n of a group's points, which are those of a Sobol sequence on [−2, 2], shifted."""
    corput = np.array([int(f"{i:032b}"[::-1], 2) for i in random.permutation(POINTS)[:n]]) / 2**32
    return (corput + random.uniform()) % 1 * 4 - 2


def average(known, alone, together):
    """The log densities under the cells of a grid that have the evidence known [cells], averaged: of a
    target, given alone [cells, targets], and of all over their number, given together [cells]."""
    weight = np.exp(known - known.max())
    weight /= weight.sum()
    peak = together.max()
    return np.log(weight @ np.exp(alone)).mean(), (np.log(weight @ np.exp(together - peak)) + peak) / TARGETS


FREQUENCIES, PHASES, NOISES = middles(3, 5, 600), middles(0, 1, 160), middles(0.05, 0.1, 5)


def wave(random, x):
    frequency, phase = random.uniform(3, 5), random.uniform(0, 1)
    y = frequency * (random.choice([-1, 1]) * x - phase) % 1
    return y + random.uniform(0.05, 0.1) * random.standard_normal(len(x))


def wave_densities(x, y):
    """Log densities of all points under every cell of the grid, [cells, n]. ωφ modulo 1 is taken as
    uniform, which it nearly is: it covers the interval 3 to 5 times."""
    y, phases = y.astype(np.float32), PHASES.astype(np.float32)[None, :, None]
    for direction in (-1, 1):
        turns = (direction * np.outer(FREQUENCIES, x) % 1).astype(np.float32)[:, None, :] - phases
        squares = ((y - turns % 1) ** 2).reshape(-1, len(x))
        for s in NOISES:
            yield -squares / np.float32(2 * s * s) - np.float32(np.log(s) + np.log(2 * np.pi) / 2)


def sawtooth(random, context):
    x = positions(random, context + TARGETS)
    known, targets = [], []
    for log in wave_densities(x, wave(random, x)):
        known.append(log[:, :context].sum(1, dtype=float))
        likely = known[-1] > known[-1].max() - 40  # the others have no weight
        known[-1], log = known[-1][likely], log[likely, context:].astype(float)
        targets.append(log)
    targets = np.concatenate(targets)
    return average(np.concatenate(known), targets, targets.sum(1))


SHARES = (0.4, 0.3, 0.3)
KERNELS = (
    lambda r: np.exp(-r * r / 2),
    lambda r: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
    lambda r: (1 + np.sqrt(5) * r + 5 * r * r / 3) * np.exp(-np.sqrt(5) * r),
)
LENGTHS, VARIANCES, NOISE = middles(0.1, 1, 90), middles(0.5, 1.5, 40), 1e-5


def normal(y, mean, variance):
    return -((y - mean) ** 2 / variance + np.log(2 * np.pi * variance)) / 2


def spectra(correlations, y):
    """The eigenvectors of correlations, y along them, and the eigenvalues of the covariances with each
    variance [variances, n]."""
    values, vectors = np.linalg.eigh(correlations)
    return vectors, y @ vectors, np.outer(VARIANCES, values.clip(0)) + NOISE


def gaussian(random, context):
    x = positions(random, context + TARGETS)
    apart = np.abs(x[:, None] - x)
    kernel, length = KERNELS[random.choice(3, p=SHARES)], random.uniform(0.1, 1)
    covariance = random.uniform(0.5, 1.5) * kernel(apart / length) + NOISE * np.eye(len(x))
    y = np.linalg.cholesky(covariance) @ random.standard_normal(len(x))
    known, alone, together = [], [], []
    for share, kernel in zip(SHARES, KERNELS):
        for length in LENGTHS:
            correlations = kernel(apart / length)
            vectors, along, spectrum = spectra(correlations[:context, :context], y[:context])
            evidence = normal(along, 0, spectrum).sum(1)
            cross = VARIANCES[:, None, None] * (correlations[context:, :context] @ vectors)
            mean = (cross * (along / spectrum)[:, None]).sum(2)
            variance = VARIANCES[:, None] + NOISE - (cross**2 / spectrum[:, None]).sum(2)
            _, along, spectrum = spectra(correlations, y)
            known.append(evidence + np.log(share))
            alone.append(normal(y[context:], mean, variance))
            together.append(normal(along, 0, spectrum).sum(1) - evidence)
    return average(*map(np.concatenate, (known, alone, together)))


def main():
    best = {"tnp-sawtooth": sawtooth, "tnp-gp": gaussian}
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--benchmark", choices=best, default="tnp-sawtooth")
    options.add_argument("--groups", type=int, default=40)
    options.add_argument("--seed", type=int, default=0)
    options = options.parse_args()
    random = np.random.default_rng(options.seed)
    print("context,alone,alone ±,together,together ±")
    for context in (8, 16, 32, 64, 128):
        found = np.array([best[options.benchmark](random, context) for _ in range(options.groups)])
        mean, error = found.mean(0), found.std(0, ddof=1) / len(found) ** 0.5
        print(f"{context},{mean[0]:.3f},{error[0]:.3f},{mean[1]:.3f},{error[1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
