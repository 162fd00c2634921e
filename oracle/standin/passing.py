"""Passing of context: a message is put with the context of another that was got with a handle that saves it.

The model has no options for this, but it has those that set context. So a handle that may pass context may set it in
the model, and this module keeps its real options. The documents behind it are those of MQOPEN and MQPMO.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from oracle.model.reply import Reply
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.calls import Get
from oracle.mqi.constants import MQOO, MQPMO, MQRC
from oracle.mqi.layouts import MQPMO as PMO
from oracle.mqi.structures import IDENTITY_CONTEXT, ORIGIN_CONTEXT, MessageDescriptor, PutMessageOptions
from oracle.standin.answers import Failed
from oracle.standin.memory import member

_PASSES: Final = MQPMO.PASS_IDENTITY_CONTEXT | MQPMO.PASS_ALL_CONTEXT
_CONTEXTS: Final = (
    _PASSES | MQPMO.SET_IDENTITY_CONTEXT | MQPMO.SET_ALL_CONTEXT | MQPMO.NO_CONTEXT | MQPMO.DEFAULT_CONTEXT
)
_MAY_PASS_ALL: Final = MQOO.PASS_ALL_CONTEXT | MQOO.SET_ALL_CONTEXT
_MAY_PASS_IDENTITY: Final = MQOO.PASS_IDENTITY_CONTEXT | MQOO.SET_IDENTITY_CONTEXT | _MAY_PASS_ALL


@dataclass(slots=True)
class Contexts:
    """The context that a connection may pass on."""

    options: dict[int, int] = field(default_factory=dict)
    """The options of MQOPEN, by handle."""
    saved: dict[int, MessageDescriptor] = field(default_factory=dict)
    """The descriptor of the message got last, by handles that save context."""

    def opened(self, hobj: int, options: int) -> None:
        """Note a handle."""
        self.options[hobj] = options

    def closed(self, hobj: int) -> None:
        """Forget a handle."""
        self.options.pop(hobj, None)
        self.saved.pop(hobj, None)

    def got(self, call: Get, reply: Reply) -> None:
        """Save the context of a message that a handle has got; a browse leaves the handle without one."""
        if reply.descriptor is None or not self.options.get(call.hobj, 0) & MQOO.SAVE_ALL_CONTEXT:
            return
        if call.options.options & BROWSE:
            self.saved.pop(call.hobj, None)
        else:
            self.saved[call.hobj] = reply.descriptor

    def with_context(
        self, hobj: int | None, md: MessageDescriptor, options: PutMessageOptions, pmo: bytes
    ) -> tuple[MessageDescriptor, PutMessageOptions]:
        """Return descriptor and options of a put that sets the context that it was to pass.

        `hobj` is None for MQPUT1. Raises Failed if the handle may not pass or set it, or if there is nothing to pass.
        """
        asked = options.options
        if hobj is not None and hobj in self.options:
            _check(asked, self.options[hobj])
        if not asked & _PASSES or (asked & _CONTEXTS).bit_count() > 1:
            return md, options  # the model refuses more than one
        source = member(PMO, pmo, "Context")
        if not self.options.get(source, 0) & MQOO.SAVE_ALL_CONTEXT:
            raise Failed(MQRC.CONTEXT_HANDLE_ERROR)
        saved = self.saved.get(source)
        if saved is None:
            raise Failed(MQRC.CONTEXT_NOT_AVAILABLE)
        everything = asked & MQPMO.PASS_ALL_CONTEXT
        names = IDENTITY_CONTEXT + (ORIGIN_CONTEXT if everything else ())
        sets = MQPMO.SET_ALL_CONTEXT if everything else MQPMO.SET_IDENTITY_CONTEXT
        given = replace(md, **{name: getattr(saved, name) for name in names})
        return given, replace(options, options=asked & ~_PASSES | sets)


def in_model(options: int) -> int:
    """Return the options of an MQOPEN for the model: a handle that may pass context may set it there."""
    if options & MQOO.PASS_ALL_CONTEXT:
        options |= MQOO.SET_ALL_CONTEXT
    if options & MQOO.PASS_IDENTITY_CONTEXT:
        options |= MQOO.SET_IDENTITY_CONTEXT
    return options


def _check(asked: int, opened: int) -> None:
    """Raise Failed for a put through a handle that was not opened for its options of context."""
    for option, allowed, reason in (
        (MQPMO.PASS_ALL_CONTEXT, _MAY_PASS_ALL, MQRC.NOT_OPEN_FOR_PASS_ALL),
        (MQPMO.PASS_IDENTITY_CONTEXT, _MAY_PASS_IDENTITY, MQRC.NOT_OPEN_FOR_PASS_IDENT),
        (MQPMO.SET_ALL_CONTEXT, MQOO.SET_ALL_CONTEXT, MQRC.NOT_OPEN_FOR_SET_ALL),
        (MQPMO.SET_IDENTITY_CONTEXT, MQOO.SET_IDENTITY_CONTEXT | MQOO.SET_ALL_CONTEXT, MQRC.NOT_OPEN_FOR_SET_IDENT),
    ):
        if asked & option and not opened & allowed:
            raise Failed(reason)
