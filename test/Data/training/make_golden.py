"""Prints the numbers of test/Train: losses, and five steps of optimizers.

Needs PyTorch. Everything is in float64.
"""

import math

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


def wave(*shape, phase=0.0):
    n = math.prod(shape)
    return torch.sin(phase + 0.7 * torch.arange(n, dtype=torch.float64)).reshape(shape)


def print_losses():
    logits = (3 * wave(2, 3, 5)).reshape(-1, 5)
    targets = torch.tensor([0, 4, 2, -100, 1, -100])
    for smoothing in (0.0, 0.1):
        loss = F.cross_entropy(logits, targets, label_smoothing=smoothing)
        print("cross_entropy, smoothing", smoothing, loss.item())
    loss = F.cross_entropy(logits, targets.clamp(min=0), ignore_index=2)
    print("cross_entropy, ignore 2", loss.item())
    print("cross_entropy, large", F.cross_entropy(1000 * logits, targets).item())
    print("mse_loss", F.mse_loss(wave(2, 3), wave(2, 3, phase=1)).item())


def cosine(step, most=0.1, warmup=2, steps=5, least=0.01):
    if step < warmup:
        return most * (step + 1) / warmup
    way = min((step - warmup) / (steps - warmup), 1)
    return least + (most - least) * 0.5 * (1 + math.cos(math.pi * way))


def print_steps(name, clip=math.inf, decay=0.0, decays_bias=True, rate=None, **options):
    weight = torch.nn.Parameter(0.5 * wave(3, 4))
    bias = torch.nn.Parameter(0.5 * wave(3, phase=2))
    x, y = wave(2, 4, phase=1), wave(2, 3, phase=3)
    groups = [
        {"params": [weight], "weight_decay": decay},
        {"params": [bias], "weight_decay": decay if decays_bias else 0.0},
    ]
    optimizer = getattr(torch.optim, name)(groups, **options)
    losses, norms = [], []
    for step in range(5):
        for group in optimizer.param_groups if rate else []:
            group["lr"] = rate(step)
        optimizer.zero_grad()
        loss = F.mse_loss(F.linear(x, weight, bias), y)
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_([weight, bias], clip).item())
        losses.append(loss.item())
        optimizer.step()
    print(name, options)
    for what, values in (
        ("losses", losses),
        ("norms", norms),
        ("weight", weight.detach().reshape(-1).tolist()),
        ("bias", bias.detach().tolist()),
    ):
        print(" ", what, values)


if __name__ == "__main__":
    print_losses()
    print_steps(
        "AdamW",
        lr=0.1,
        betas=(0.9, 0.95),
        decay=0.1,
        decays_bias=False,
        clip=0.5,
        rate=cosine,
    )
    print_steps("AdamW", lr=0.1)
    print_steps("SGD", lr=0.1, momentum=0.9, decay=0.1)
    print_steps("SGD", lr=0.1, momentum=0.9, nesterov=True)
    print_steps("SGD", lr=0.1)
