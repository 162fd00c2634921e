"""Triggers, and who looks at the initiation queue."""

from __future__ import annotations

from random import Random

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.naming import Naming
from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import queues
from conformance.checks.machines.vocabulary.word import attributes
from oracle.histories.notation import Line
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO, MQOO

_INITIATION_QUEUE = "I"


class Triggering(Naming, Putting):
    """Applications that trigger others, which watch the initiation queue now and then."""

    def prepare(self, draws: Random) -> None:
        """Have the initiation queue watched in most sessions."""
        if "trigger" in self.features and any_of(draws, (True, True, False)):
            self.watch(draws)
        super().prepare(draws)

    @act(lambda self: "trigger" in self.features and self.free(("C", "D")))
    def watch(self, draws: Random) -> None:
        """Begin to watch the initiation queue, or take what is there and perhaps cease to watch it."""
        watchers = [name for name in self.handles() if self.opened(name).queue == _INITIATION_QUEUE]
        if not watchers:
            conn, name = any_of(draws, self.free(("C", "D"))), any_of(draws, (_INITIATION_QUEUE, "AI"))
            word = self.word(draws, queues.WATCHING)
            self.connect(conn)
            self.play(Line("open", conn, name=self.new_name("h"), queue=name, options=word.options))
            return
        watcher = any_of(draws, watchers)
        takes = bool(self.opened(watcher).options & INPUT_OPTIONS)
        self.play(Line("get", handle=watcher, options=MQGMO.NONE if takes else MQGMO.BROWSE_NEXT))
        if any_of(draws, (False, False, True)):
            self.play(Line("close", handle=watcher))

    @act(lambda self: "trigger" in self.features and self.handles())
    def change_a_trigger(self, draws: Random) -> None:
        """Change when a queue triggers, by MQSET or as an administrator."""
        defined = {name: self.session.state.queues[name].definition for name in self.queues()}
        queue = any_of(draws, [name for name, each in defined.items() if each.initiation_q_name] or [*defined])
        silent = not defined[queue].trigger_control
        if silent and any_of(draws, (True, False)):
            self._close_readers(draws, queue)
        words = queues.TRIGGER_CHANGES[:1] if silent and any_of(draws, (True, False)) else queues.TRIGGER_CHANGES
        change = attributes(any_of(draws, self.sayable(words)))
        setters = [name for name in self.handles(MQOO.SET) if self.opened(name).path[0] == queue]
        if setters and any_of(draws, range(3)) > 0:
            self.play(Line("set", handle=any_of(draws, setters), attributes=change))
        else:
            self.play(Line("alter", queue=queue, attributes=change))

    @act(lambda self: "trigger" in self.features and self.handles(INPUT_OPTIONS))
    def close_the_readers(self, draws: Random) -> None:
        """Close every handle that reads a queue, as programs do that end: what they leave may trigger.

        Perhaps another program comes and goes after that, which knows the queue by another name.
        """
        queue = self.opened(any_of(draws, self.handles(INPUT_OPTIONS))).queue
        self._close_readers(draws, queue)
        conn, name = any_of(draws, self.free(self.CONNECTIONS)), self.new_name("h")
        if any_of(draws, (True, False)):
            self.connect(conn)
            known = [queue, *(each.name for each in self.session.state.definitions.values() if each.target == queue)]
            self.play(Line("open", conn, name=name, queue=any_of(draws, known), options=MQOO.INPUT_SHARED))
            if name in self.session.bindings.handles:
                self.play(Line("close", handle=name))

    def _close_readers(self, draws: Random, queue: str) -> None:
        readers = [name for name in self.handles(INPUT_OPTIONS) if self.opened(name).queue == queue]
        for handle in draws.sample(readers, len(readers)):
            self.play(Line("close", handle=handle))
