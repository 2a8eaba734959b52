"""A loop by epochs with all that real ones have: a scheduler, autocast, a loss scaler, accumulation and validation.

A step is one optimizer step on up to four batches. What happens between two epochs belongs to the last step before it.
"""

import argparse

import torch
from sklearn.datasets import load_digits
from torch.nn.functional import cross_entropy

import samerun


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=0.2)
    return parser.parse_args()


def digits() -> tuple[tuple[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]:
    """Return (images, labels) to train on and to validate with: every fifth digit is held out."""
    pixels, labels = (torch.from_numpy(array) for array in load_digits(return_X_y=True))
    images, is_held_out = pixels.float().view(-1, 1, 8, 8) / 16, torch.arange(len(labels)) % 5 == 0
    return (images[~is_held_out], labels[~is_held_out]), (images[is_held_out], labels[is_held_out])


def network() -> torch.nn.Module:
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Dropout(0.2),
        torch.nn.Linear(32 * 4 * 4, 10),
    )


def main() -> None:
    cfg = arguments()
    training, (images, labels) = digits()
    with samerun.start("epoch-loop", config=cfg, aside={"epochs": "how far to go"}, seed=7) as run:
        model = network()
        optim = torch.optim.SGD(model.parameters(), cfg.learning_rate, momentum=0.9)
        scheduler = torch.optim.lr_scheduler.MultiStepLR(optim, milestones=[8, 10], gamma=0.3)
        scaler = torch.amp.GradScaler("cpu")
        batches = run.loader(training, batch_size=32)
        run.track(model=model, optim=optim, scheduler=scheduler, scaler=scaler, batches=batches)
        for epoch in run.epochs(cfg.epochs):
            total = 0.0
            for step, (x, y) in epoch.steps(batches, accumulate=cfg.accumulate):
                with torch.autocast("cpu", dtype=torch.float16):
                    loss = cross_entropy(model(x), y) / cfg.accumulate
                scaler.scale(loss).backward()
                total = total + loss.detach()
                if step.is_update:
                    scaler.step(optim)
                    scaler.update()
                    optim.zero_grad()
                    step.log(loss=total, learning_rate=scheduler.get_last_lr()[0])
                    total = 0.0
            scheduler.step()
            with run.evaluation("validation") as evaluation, torch.no_grad():
                model.eval()
                evaluation.log(accuracy=(model(images).argmax(1) == labels).float().mean())


if __name__ == "__main__":
    main()
