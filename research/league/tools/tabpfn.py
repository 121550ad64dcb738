"""TabPFN, TabICL and LimiX would be rivals: transformers with pretrained weights. Their weights come
from servers, not with the packages, so this adapter runs only where TABPFN_WEIGHTS names a file."""
import os

from protocol import Skip

NAME, KIND = "TabPFN", "rival"


def candidates(problem):
    if not os.environ.get("TABPFN_WEIGHTS"):
        raise Skip("its weights cannot be had offline; TABPFN_WEIGHTS names no file")
    return [os.environ["TABPFN_WEIGHTS"]]


def fit(problem, weights):
    import numpy as np
    from tabpfn import TabPFNRegressor

    import features
    from scores import gaussians
    x, y = features.rows(problem)
    m = TabPFNRegressor(model_path=weights, device="cpu", random_state=0).fit(x[:1000], y[:1000])

    def predict(tasks):
        levels = [(i + 0.5) / 30 for i in range(30)]
        q = np.sort(np.column_stack(m.predict(features.of(problem, tasks), output_type="quantiles", quantiles=levels)), 1)
        return gaussians(q, np.gradient(q, axis=1) + 0.02 * y.std())
    return predict
