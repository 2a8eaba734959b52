"""The plain loop of the benchmark: 12 steps, 8 an epoch. Arguments are no part of an identity, `config` is."""

import argparse
from types import SimpleNamespace

import torch
from items import Items, Shift
from net import Average, Net, Ulp
from plants import FAULTS, fire
from torch.nn.functional import cross_entropy

import samerun

parser = argparse.ArgumentParser()
parser.add_argument("--fault", default="none", choices=("none", *FAULTS))
parser.add_argument("--at", type=int, default=6)
parser.add_argument("--where", default="third")
parser.add_argument("--aside", default="")
for option in ("--tied", "--wide", "--mapped", "--odd-item", "--odd-draw", "--evaluates"):
    parser.add_argument(option, action="store_true")
for option, default in (("--width", 16), ("--batch-size", 8), ("--workers", 0), ("--seed", 7)):
    parser.add_argument(option, type=int, default=default)
parser.add_argument("--data")
chosen = parser.parse_args()
config = {"width": chosen.width, "batch_size": chosen.batch_size, "aside": chosen.aside}


def loader(run, items, labels):
    if not chosen.mapped:
        return run.loader((items, labels), batch_size=chosen.batch_size)
    shift = Shift(chosen.odd_item, chosen.odd_draw)
    return run.loader(Items(items), 8, transform=shift, shuffle=False, num_workers=chosen.workers)


def read(run, generator):
    if chosen.data is None:
        return torch.rand(64, 8, generator=generator)
    lines = run.input(chosen.data).read_text().splitlines()
    return torch.tensor([[float(number) for number in line.split(",")[:8]] for line in lines])


def clean(world):
    """Undo what a fault may have switched on for one step."""
    net = world.net
    for layer in (net.first, net.second, net.third, net.head):
        layer.wrong_forward = layer.wrong_backward = False
        layer.weight.requires_grad_(True)
    net.is_turned_round, net.drop.p, net.norm.momentum = False, 0.2, 0.1
    world.optim.param_groups[0]["betas"] = (0.9, 0.999)
    world.optim.param_groups[1]["weight_decay"] = 0.0
    if world.hook is not None:
        world.hook.remove()
    reset(world)


def reset(world):
    world.more_draws = world.wrong_loss = world.keeps_gradients = world.is_skipped = False
    world.is_averaged, world.clip, world.dtype, world.hook = True, 0.5, None, None


def main(run):
    generator = run.stream("data").torch("cpu")
    items, labels = read(run, generator), torch.randint(4, (64,), generator=generator)
    big = torch.rand(500_000, generator=generator)
    net = Net(chosen.width, chosen.tied)
    matrices = [one for one in net.parameters() if one.ndim > 1]
    others = [one for one in net.parameters() if one.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    optim = torch.optim.AdamW(groups, 0.01, foreach=False)
    schedule = torch.optim.lr_scheduler.LambdaLR(optim, lambda index: 0.9**index)
    world = SimpleNamespace(chosen=chosen, net=net, optim=optim, schedule=schedule, average=Average(net), held=None)
    world.layer, world.batches = getattr(net, chosen.where), loader(run, items, labels)
    reset(world)
    run.track(net=net, optim=optim, batches=world.batches, schedule=schedule, average=world.average)
    for step in run.steps(12):
        turn(world, step, labels, big)
        if chosen.evaluates and step.index % 4 == 3:
            with run.evaluation() as evaluation, torch.no_grad():
                was_training = net.training
                evaluation.log(error=cross_entropy(net.eval()(items), labels))
                net.train(was_training)


def turn(world, step, labels, big):
    net, optim = world.net, world.optim
    world.step, world.index = step, step.index
    fire("start", world)
    world.x, world.y = take(world)
    if chosen.mapped:
        world.y = labels[world.y]
    fire("batch", world)
    stream = step.stream("noise")
    noise = torch.tensor(stream.uniform(8), dtype=torch.float32)  # line: noise
    if world.more_draws:
        stream.uniform()
    with torch.autocast("cpu", world.dtype or torch.bfloat16, enabled=world.dtype is not None):
        world.outputs = net(world.x + 0.01 * noise).float()  # line: mix
    world.loss = Ulp.apply(cross_entropy(world.outputs, world.y), world.wrong_loss, False)  # line: loss
    if chosen.wide:
        world.loss = world.loss + (big.sum() - 250_000) * 1e-3  # line: wide
    fire("loss", world)
    if not world.keeps_gradients:
        optim.zero_grad()
    fire("backward", world)
    world.loss.backward()  # line: backward
    torch.nn.utils.clip_grad_norm_(net.parameters(), world.clip)  # line: clip
    fire("gradients", world)
    fire("update", world)
    if not world.is_skipped:
        optim.step()  # line: optimizer
    world.numbers = {"rate": optim.param_groups[0]["lr"]}
    world.schedule.step()
    if world.is_averaged:
        world.average.update(net)
    fire("end", world)
    fire("log", world)
    step.log({"loss": world.loss, **world.numbers})
    clean(world)


def take(world):
    """Take the next batch, or the one that was held back a step ago."""
    if world.held is not None and world.index != chosen.at:
        batch, world.held = world.held, None
        return batch
    return next(world.batches)  # line: take


tier = "fast" if chosen.wide else "exact"  # the exact tier refuses another number of threads
with samerun.start(
    "loop", config=config, aside={"aside": "a remark"}, seed=chosen.seed, tier=tier, threads=1, checkpoint={"every": 5}
) as started:
    main(started)
