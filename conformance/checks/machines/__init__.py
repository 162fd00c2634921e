"""The state machines: sequences of calls are drawn at random, and the oracle judges each reply."""

from __future__ import annotations

from functools import partial
from typing import Final

from conformance.checks.check import Check
from conformance.checks.machines.base import Applications
from conformance.checks.machines.browse import Browse
from conformance.checks.machines.continued import Continued
from conformance.checks.machines.delivery import Delivery
from conformance.checks.machines.everything import Everything
from conformance.checks.machines.expiry import Expiry
from conformance.checks.machines.groups import Groups
from conformance.checks.machines.limits import Limits
from conformance.checks.machines.objects import Objects
from conformance.checks.machines.search import run_search
from conformance.checks.machines.splitting import Splitting
from conformance.checks.machines.units_of_work import UnitsOfWork
from conformance.checks.machines.waits import Waits
from conformance.checks.machines.zos import ZOs
from oracle.mqi.profile import PLATFORMS, PlatformName


def _check(
    name: str,
    title: str,
    machine: type[Applications],
    *features: str,
    platforms: tuple[PlatformName, ...] = PLATFORMS,
) -> Check:
    perform, weight = partial(run_search, machine, machine.SHARE), machine.SHARE * machine.MESSAGES_MOST
    return Check(f"machine/{name}", title, "machine", perform, (), features, platforms, weight)


CHECKS: Final = (
    _check("delivery", "Messages are delivered in order, to whom they match", Delivery),
    _check("units-of-work", "Units of work of several applications", UnitsOfWork, "syncpoint"),
    _check("browse", "Browse cursors, locks and marks", Browse, "browse"),
    _check("groups", "Groups and segments put in any order and got in every way", Groups, "groups"),
    _check("splitting", "Messages that the queue manager splits", Splitting, "segments", "limits"),
    _check("expiry", "Messages that expire", Expiry, "expiry"),
    _check("waits", "Calls that wait, and what activates them", Waits, "wait"),
    _check("limits", "Limits and inhibits", Limits, "limits"),
    _check("objects", "Aliases, remote and dynamic queues, triggers and reports", Objects),
    _check("everything", "Every call of several applications in any order", Everything),
    _check("continued", "What comes after the histories of other checks", Continued),
    _check("zos", "What is otherwise on z/OS", ZOs, platforms=("zos",)),
)
"""The machines as checks."""
