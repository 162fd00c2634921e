"""One step of a replay, and the reason why a replay cannot continue."""

from __future__ import annotations

from dataclasses import dataclass, field

from oracle.errors import BadInputError, MqOracleError, NotModelledError, Place, UsageError
from oracle.judging.follow import Followed, Follower, TooManyStatesError
from oracle.judging.message_names import MessageNames
from oracle.model.duration import check_clock
from oracle.mqi.calls import Call, MqiCall
from oracle.protocol import ObservedReply
from oracle.replay.describe import describe
from oracle.values import quickly_made


class UndecidedError(MqOracleError):
    """The input lacks something that decides whether the next call conforms."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(f"{place}: undecided from here on: {message}")
        self.place = place


@quickly_made
@dataclass(frozen=True, slots=True)
class Replayed:
    """A call that was followed."""

    place: Place
    """Its place in the input."""
    written: str | None
    """The call as written in the input; None if that is not readable text."""
    call: Call
    """The call as a value of the model."""
    observed: ObservedReply
    """The reply that the input shows."""
    followed: Followed
    """The result of following it."""
    names: MessageNames = field(default_factory=MessageNames)
    """The names of messages."""

    @property
    def text(self) -> str:
        """The call as text."""
        return describe(self.call) if self.written is None else self.written

    @property
    def departs(self) -> bool:
        """Whether no allowed outcome fits the observed reply."""
        return self.followed.departure is not None


def follow(
    follower: Follower, call: Call, observed: ObservedReply, place: Place, written: str | None = None
) -> Replayed:
    """Follow one call.

    Raises BadInputError, with the place, for a call that no application can make, and UndecidedError if the model does
    not contain what the call needs.
    """
    with at(place):
        refuse_impossible(follower, call)
        return Replayed(place, written, call, observed, follower.follow(call, observed), follower.names)


def refuse_impossible(follower: Follower, call: Call) -> None:
    """Raise BadInputError for a call on a connection whose MQGET still waits, and for a time beyond all dates."""
    check_clock(follower.states[0], call)
    if isinstance(call, MqiCall) and any(waiting.conn == call.conn for waiting in follower.waiting.values()):
        raise BadInputError(f"connection {call.conn} makes a call while its MQGET waits")


class at:  # noqa: N801 - a context manager, entered for each call of a log; one made by contextlib takes longer
    """Give errors without a place this one; what the model lacks leaves the rest undecided."""

    __slots__ = ("_place",)

    def __init__(self, place: Place) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, (NotModelledError, TooManyStatesError)):
            raise UndecidedError(str(error), self._place) from error
        if isinstance(error, UsageError) or (isinstance(error, BadInputError) and error.place is None):
            raise BadInputError(str(error), self._place) from error
