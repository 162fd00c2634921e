"""The cancellation of a waiting MQGET by its own program: Java clients close a waiting consumer this way.

The request comes on another conversation, and names the connection whose call is to end, and its reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from oracle.errors import BadInputError
from oracle.network.conversation import Conversation
from oracle.wire import replies
from oracle.wire.flows import Flow

SPI_NOTIFY: Final = 11
"""The verb of the service interface by which a client cancels a call."""

_IDENTIFIER: Final = 24


def cancel(conversations: Iterable[Conversation], asking: Conversation, flow: Flow) -> bytes:
    """End the wait that a flow names, if there is one, and return the body of the reply.

    Raises BadInputError for a flow that names no call.
    """
    at = flow.body.find("SPNI".encode(flow.charset))
    identifier = flow.body[at + 20 : at + 20 + _IDENTIFIER]
    if at < 0 or len(identifier) < _IDENTIFIER:
        raise BadInputError("the flow does not name the call to end")
    reason = flow.long(at + 16)
    for each in conversations:
        if each.wait is not None and each.connection is not None and each.identifier == identifier:
            each.manager.cancel(each.connection.conn, each.wait.identity, reason)
    rest = replies.spi(asking.form, flow, "SPNO", 1, b"")
    return replies.api(asking.form, 0, 0, flow.long(12), rest)
