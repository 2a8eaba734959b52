"""Putting a live run together, once its folder is chosen, locked and written."""

from __future__ import annotations

from samerun.run.boundary import make_boundary
from samerun.run.guarding import Guarding, guard_for
from samerun.run.inputs import Inputs
from samerun.run.launch import LaunchOptions
from samerun.run.life import Life
from samerun.run.loop import Loop
from samerun.run.onlookers import Onlookers
from samerun.run.opening import Opening
from samerun.run.operations import Operations
from samerun.run.run import Run
from samerun.run.scopes import Scopes
from samerun.run.session import Session


def assemble(session: Session, opening: Opening, options: LaunchOptions) -> Run:
    """Return the live run of a session."""
    made, operations = make_boundary(session, opening, options, session.seed), Operations()
    guard = guard_for(options.guard, opening.source.root)
    guarding = None if guard is None else Guarding(guard, session, is_quiet=options.is_quiet)
    if options.watch is not None:
        options.watch.attach(made.tracked)
    watch = Onlookers(options.watch, guard, options.phases)
    loop = Loop(made.settler, made.sources, made.switch, operations, Inputs(), watch)
    scopes = Scopes(made.sources.beside, made.tracked, operations, opening.policy.best)
    life = Life(session, made.settler, loop, made.switch, operations, guarding, is_alone=options.is_alone)
    return Run(session, made.tracked, made.sources.steps, loop, scopes, made.hooks, life)
