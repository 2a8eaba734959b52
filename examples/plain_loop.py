"""The recipe `digits` as a plain PyTorch loop: run it, stop it anywhere, run it again, and it ends in the same bits."""

import torch
from sklearn.datasets import load_digits
from torch.nn.functional import cross_entropy

import samerun

cfg = {"hidden": 128, "dropout": 0.1, "learning_rate": 2e-3, "steps": 1200}
pixels, labels = (torch.from_numpy(array) for array in load_digits(return_X_y=True))
images, is_test = pixels.float() / 16, torch.arange(len(labels)) % 5 == 0

with samerun.start("plain-digits", config=cfg, aside={"steps": "how far"}, seed=7, checkpoint={"every": 200}) as run:
    hidden, dropout = cfg["hidden"], cfg["dropout"]
    layers = [torch.nn.Linear(64, hidden), torch.nn.ReLU(), torch.nn.Dropout(dropout), torch.nn.Linear(hidden, 10)]
    model = torch.nn.Sequential(*layers)
    optim = torch.optim.AdamW(model.parameters(), cfg["learning_rate"])
    batches = run.loader((images[~is_test], labels[~is_test]), batch_size=64)
    run.track(model=model, optim=optim, batches=batches)
    for step in run.steps(cfg["steps"]):
        x, y = next(batches)
        loss = cross_entropy(model(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        step.log(loss=loss)
        if (step.index + 1) % 200 == 0:
            with run.evaluation("evaluate") as evaluation, torch.no_grad():
                correct = model.eval()(images[is_test]).argmax(1) == labels[is_test]
                evaluation.log(accuracy=correct.float().mean())
