"""A queue manager for unit tests: code that uses IBM's Python client `ibmmq` runs on the oracle, unmodified.

    from oracle.testing import queue_manager

    def test_orders_are_confirmed() -> None:
        with queue_manager(["ORDERS", "CONFIRMATIONS"]) as qm:
            qm.put("ORDERS", b"42")
            application.run_once()                      # connects, gets and puts with ibmmq
            assert [each.data for each in qm.messages("CONFIRMATIONS")] == [b"42"]

Every rule of the model holds. Its clock is virtual: `qm.advance(seconds=30)` moves it, and an MQGET moves it to the end
of its wait if nobody else can put a message. After the block there is no queue manager, and MQCONN says so. Importing
this module makes `import ibmmq` work if IBM's client library is not installed.
"""

from __future__ import annotations

from oracle.errors import UsageError
from oracle.standin.extension import offer
from oracle.standin.warning import StandInWarning
from oracle.testing.manager import QueueManager, queue_manager
from oracle.testing.messages import StoredMessage

__all__ = ["QueueManager", "StandInWarning", "StoredMessage", "UsageError", "queue_manager"]

offer()
