"""Records torch.optim.Adam's path on a small vector: python3 adam.py > adam.json

The gradients are a fixed sequence, so that only the optimiser is compared. Numbers are written with repr, which keeps
every digit of a float64 (and of a float32 widened to it).
"""
import json

import torch


def gradients(n, steps):
    # Magnitudes from 1e-6 to 1e3 and both signs, some exactly zero.
    generator = torch.Generator().manual_seed(7)
    scale = torch.logspace(-6, 3, n, dtype=torch.float64)
    grads = torch.randn(steps, n, generator=generator, dtype=torch.float64) * scale
    grads[:, 0] = 0
    grads[::3, 1] = 0
    return grads


def record(dtype, weight_decay, rates):
    n = 12
    generator = torch.Generator().manual_seed(5)
    start = torch.randn(n, generator=generator, dtype=torch.float64).to(dtype)
    grads = gradients(n, len(rates)).to(dtype)
    theta = torch.nn.Parameter(start.clone())
    adam = torch.optim.Adam([theta], lr=rates[0], weight_decay=weight_decay)
    path = []
    for rate, grad in zip(rates, grads):
        adam.param_groups[0]["lr"] = rate
        theta.grad = grad.clone()
        adam.step()
        path.append(theta.detach().double().tolist())
    state = adam.state[theta]
    return {
        "dtype": str(dtype).split(".")[1],
        "weight_decay": weight_decay,
        "rates": rates,
        "start": start.double().tolist(),
        "grads": grads.double().tolist(),
        "path": path,
        "m": state["exp_avg"].double().tolist(),
        "v": state["exp_avg_sq"].double().tolist(),
    }


def cosine(lr, steps):
    parameter = torch.nn.Parameter(torch.zeros(1))
    sgd = torch.optim.SGD([parameter], lr=lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(sgd, T_max=steps)
    rates = []
    for _ in range(steps):
        rates.append(sgd.param_groups[0]["lr"])
        sgd.step()
        schedule.step()
    return {"lr": lr, "steps": steps, "rates": rates}


if __name__ == "__main__":
    rates = [1e-3] * 15 + [3e-2] * 5
    print(json.dumps({
        "torch": torch.__version__,
        "cases": [
            record(dtype, decay, rates)
            for dtype in (torch.float32, torch.float64)
            for decay in (0.0, 1e-5, 0.1)
        ],
        "cosine": cosine(5e-4, 40),
    }))
