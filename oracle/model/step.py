"""One step of the model: a state and a call in, the set of allowed outcomes out.

If the documents leave a choice, the model asks `Step.choose` and continues with the answer. A step is played once for
every sequence of answers, each time from a fresh copy of the state, so that the model itself reads as an ordinary
program. Values that a queue manager generates (identifiers, handles) come from `Step.generate`: an observed value if a
reply is being followed, the model's own otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeVar

from oracle.model.connections import Unconfirmed
from oracle.model.messages.messages import Message
from oracle.model.reply import Completion, Posted, Reply
from oracle.model.state import State
from oracle.mqi.calls import Call, Sent
from oracle.mqi.constants import MQRC
from oracle.mqi.definitions import QueueDefinition
from oracle.values import quickly_made

T = TypeVar("T")

MOST_ANSWERS: Final = 5_000
"""The most answers to one question that are made where their number grows beyond all bounds: nobody follows so many."""

Generated = tuple[str, object]
"""A generated value: the member that it is returned in, and the value."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Choice:
    """A question that the documents leave open, and the answer that was taken."""

    question: str
    """The question, as `oracle/data/choices.yaml` has it."""
    answers: int
    """The number of its answers."""
    taken: int
    """The number of the answer that was taken, from 0."""
    rules: tuple[str, ...] = ()
    """The rules that leave it open, if a rule says so."""
    answer: object = field(default=None, compare=False, repr=False)
    """The answer with that number."""

    def __str__(self) -> str:
        """Return the question with its rules, and the answer if it is a word."""
        rules = f" ({', '.join(self.rules)})" if self.rules else ""
        answer = _in_words(self.answer)
        return f"{self.question}{rules}: {answer}" if answer else f"{self.question}{rules}"


def _in_words(answer: object) -> str:
    """Return an answer that is yes, no, none or a reason code in words; nothing for another."""
    if answer is None or isinstance(answer, bool):
        return {None: "none", True: "yes", False: "no"}[answer]
    reason = answer[0] if isinstance(answer, tuple) and answer else getattr(answer, "reason", None)
    return MQRC.describe(reason) if isinstance(reason, int) else ""


@quickly_made
@dataclass(frozen=True, slots=True)
class Outcome:
    """One allowed outcome."""

    reply: Reply
    """The reply."""
    state: State
    """The state after it."""
    rules: tuple[str, ...]
    """The rules behind it."""
    choices: tuple[Choice, ...] = ()
    """The open questions on the way to it."""
    completed: tuple[Completion, ...] = ()
    """The waiting MQGETs that ended in this step."""
    generated: tuple[Generated, ...] = ()
    """The values that the queue manager generated."""
    posted: tuple[Posted, ...] = ()
    """The signals that were delivered in this step."""
    sent: tuple[Sent, ...] = ()
    """The messages that a channel took to another queue manager."""


Observed = Callable[[str], object]
"""A function that returns the observed value of a generated member (`MQMD.MsgId`), or None if none was observed."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that has come to a queue."""

    queue: str
    """The name of the queue."""
    message: Message
    """The message."""
    by_commit: bool = False
    """Whether it was there already, and its put has been committed."""

    @property
    def available(self) -> bool:
        """Whether everybody may get the message, because its put is in no open unit of work."""
        return self.message.put_by is None


@dataclass(slots=True)
class Step:
    """The step being played: a state that may be changed, and the decisions of the step so far."""

    state: State
    """The state, changed as the step goes on."""
    script: Sequence[int] = ()
    """The answers to the first questions; the others get the first answer."""
    observed: Mapping[int | None, Observed] = field(default_factory=dict)
    """Functions for observed values of generated members: of the call itself (None), and of waiting calls."""
    identity: int | None = None
    """The identity of the waiting call that the step is handling; None for the call itself."""
    rules: list[str] = field(default_factory=list)
    """The rules noted, in order, with repetitions."""
    choices: list[Choice] = field(default_factory=list)
    """The questions asked so far."""
    completed: list[Completion] = field(default_factory=list)
    """The waiting MQGETs that have ended."""
    generated: list[Generated] = field(default_factory=list)
    """The values generated so far."""
    posted: list[Posted] = field(default_factory=list)
    """The signals delivered so far."""
    sent: list[Sent] = field(default_factory=list)
    """The messages that a channel has taken."""
    arrived: list[Arrival] = field(default_factory=list)
    """The messages that have become available, or have taken their place in a unit of work."""
    stirred: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The queues with another event that may trigger, with the rules by which it must."""
    unconfirmed: list[Unconfirmed] = field(default_factory=list)
    """The confirmations that the commits of this step have to make (AMB-109)."""
    due: list[QueueDefinition] = field(default_factory=list)
    """The trigger events of the units of work that have ended."""

    def stir(self, queue: str, *rules: str) -> None:
        """Note an event other than an arrival on a queue that may trigger, and by `rules` must."""
        known = self.stirred.get(queue, ())
        self.stirred[queue] = (*known, *(rule for rule in rules if rule not in known))

    def because(self, *rules: str) -> None:
        """Note the rules behind the step."""
        self.rules += rules

    def rules_since(self, count: int = 0) -> tuple[str, ...]:
        """Return the rules noted after the first `count`, each once."""
        before = self.rules[:count]
        return tuple(rule for rule in dict.fromkeys(self.rules) if rule not in before)

    def choose(self, question: str, answers: Sequence[T], *rules: str) -> T:
        """Take one of the answers that the documents allow; the first is the most plainly documented one."""
        self.rules += rules
        if len(answers) == 1:
            return answers[0]
        number = len(self.choices)
        taken = self.script[number] if number < len(self.script) else 0
        self.choices.append(Choice(question, len(answers), taken, rules, answers[taken]))
        return answers[taken]

    def choose_for_good(self, question: str, answers: Sequence[bool], *rules: str) -> bool:
        """Take an answer as `choose` does, and keep to it: a queue manager always does the same about this."""
        decided = self.state.decided
        if question not in decided:
            decided = self.state.decided = {**decided, question: self.choose(question, answers, *rules)}
        return decided[question]

    def seen(self, member: str) -> object:
        """Return the observed value of a member if a reply is being followed; None if there is none."""
        look = self.observed.get(self.identity)
        return None if look is None else look(member)

    def generate(self, member: str, make: Callable[[int], T], kind: type[T]) -> T:
        """Return a value that the queue manager generates: the observed one if it is of the right kind."""
        number = self.state.next_number
        self.state.next_number += 1
        look = self.observed.get(self.identity)
        seen = None if look is None else look(member)
        value = seen if isinstance(seen, kind) else make(number)
        self.generated.append((member, value))
        return value


def as_many_as_followed(answers: Iterable[T]) -> list[T]:
    """Return the answers to a question that may have more than anybody follows: MOST_ANSWERS at most."""
    return list(islice(answers, MOST_ANSWERS))


Perform = Callable[[Step, Call], Reply]


def play(
    perform: Perform, state: State, call: Call, observed: Mapping[int | None, Observed] | None = None
) -> Iterator[Outcome]:
    """Yield every allowed outcome of a call, the most plainly documented one first.

    `observed` gives, by the identity of a completed MQGET (None for the call itself), the generated values seen.
    """
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        step = Step(state.copy(), script, observed or {})
        reply = perform(step, call)
        yield Outcome(
            reply,
            step.state,
            tuple(dict.fromkeys(step.rules)),
            tuple(step.choices),
            tuple(step.completed),
            tuple(step.generated),
            tuple(step.posted),
            tuple(step.sent),
        )
        if len(step.choices) > len(script):
            taken = tuple(choice.taken for choice in step.choices)
            for number in range(len(script), len(taken)):
                scripts.extend((*taken[:number], other) for other in range(step.choices[number].answers - 1, 0, -1))
