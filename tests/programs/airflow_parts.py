"""The parts of Apache Airflow that its provider for IBM MQ imports, as small as they can be.

Airflow itself has hundreds of packages. The provider's modules are those of its own distribution; only their base
classes and the lookup of connections are replaced here.
"""

from __future__ import annotations

import importlib.util
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True)
class Connection:
    """An Airflow connection: where the queue manager is, who signs on, and the rest as JSON."""

    host: str
    port: int
    login: str
    password: str
    extra: str

    @property
    def extra_dejson(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.extra)
        return found


CONNECTIONS: dict[str, Connection] = {}


class LoggingMixin:
    """A base class with a log."""

    @property
    def log(self) -> logging.Logger:
        return logging.getLogger(type(self).__module__)


class BaseHook(LoggingMixin):
    """A base class with the connections."""

    @classmethod
    def get_connection(cls, name: str) -> Connection:
        return CONNECTIONS[name]


async def get_async_connection(name: str) -> Connection:
    return CONNECTIONS[name]


@dataclass(frozen=True)
class TriggerEvent:
    """The event that a trigger yields."""

    payload: Any = field(default=None)


class BaseEventTrigger(LoggingMixin):
    """The base class of triggers."""


class AirflowOptionalProviderFeatureException(Exception):  # noqa: N818 - Airflow's name
    """A feature needs a package that is not installed."""


PARTS: dict[str, dict[str, Any]] = {
    "airflow": {"__version__": "3.0.0"},
    "airflow.exceptions": {"AirflowOptionalProviderFeatureException": AirflowOptionalProviderFeatureException},
    "airflow.providers.common": {},
    "airflow.providers.common.compat": {},
    "airflow.providers.common.compat.connection": {"get_async_connection": get_async_connection},
    "airflow.providers.common.compat.sdk": {"BaseHook": BaseHook},
    "airflow.triggers": {},
    "airflow.triggers.base": {"BaseEventTrigger": BaseEventTrigger, "TriggerEvent": TriggerEvent},
    "airflow.utils": {},
    "airflow.utils.log": {},
    "airflow.utils.log.logging_mixin": {"LoggingMixin": LoggingMixin},
}


@contextmanager
def in_place() -> Iterator[None]:
    """Let the provider's modules import these parts; the provider itself is installed."""
    provider = importlib.util.find_spec("airflow")
    assert provider is not None, "apache-airflow-providers-ibm-mq is not installed"
    assert provider.origin is None, "Airflow itself is installed: take it instead of these parts"
    modules = {}
    for name, members in PARTS.items():
        modules[name] = ModuleType(name)
        vars(modules[name]).update(members)
    modules["airflow"].__path__ = list(provider.submodule_search_locations or ())
    with patch.dict("sys.modules", modules):
        yield
