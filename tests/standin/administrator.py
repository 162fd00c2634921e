"""A program that sends PCF commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracle.mqi.connection_layouts import NATIVE_ORDER
from oracle.mqi.constants import MQCC, MQGMO, MQMO, MQMT, MQOO, MQPMO, MQRC
from oracle.mqi.layouts import MQOD
from oracle.mqi.pcf import COMMAND_QUEUE, CommandMessage
from tests.standin.conftest import Program, unpack


class Administrator:
    """Sends commands and returns the responses."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._commands = program.open(COMMAND_QUEUE, MQOO.OUTPUT)
        self._replies = program.open("SYSTEM.DEFAULT.MODEL.QUEUE", MQOO.INPUT_EXCLUSIVE)
        self._reply_queue = str(unpack(MQOD, program.last.od)["ObjectName"])

    def send(self, data: bytes, **members: Any) -> list[CommandMessage]:
        outside = {"Options": MQPMO.NO_SYNCPOINT}
        put = self.program.put(
            self._commands, data, outside, MsgType=MQMT.REQUEST, ReplyToQ=self._reply_queue, **members
        )
        answers: list[CommandMessage] = []
        while not answers or not answers[-1].last:
            options = {"MatchOptions": MQMO.MATCH_CORREL_ID, "Options": MQGMO.NO_SYNCPOINT}
            reply = self.program.get(self._replies, options, 100_000, CorrelId=put["MsgId"])
            assert self.program.codes == (MQCC.OK, MQRC.NONE)
            answers.append(CommandMessage.decode(reply, NATIVE_ORDER))
        return answers

    def ask(self, command: int, parameters: Mapping[Any, Any]) -> list[CommandMessage]:
        return self.send(CommandMessage(command, parameters).encode(NATIVE_ORDER))

    def reason(self, command: int, parameters: Mapping[Any, Any]) -> int:
        (answer,) = self.ask(command, parameters)
        assert answer.comp_code == (MQCC.FAILED if answer.reason else MQCC.OK)
        return answer.reason
