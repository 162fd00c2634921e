"""Have pyarrow do without pandas.

pyarrow loads pandas, where that is installed, as soon as it makes arrays of Python's values: to know its types among
them. That takes longer than many a question to a log, and the local engine hands over none of pandas' values.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _WithoutPandas(MetaPathFinder):
    """Says that pandas is not there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise ModuleNotFoundError for pandas, and leave all else to others."""
        del path, target
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is left out", name=fullname)
        return None


def leave_pandas_out() -> None:
    """Do so for the rest of this process, unless pandas is loaded already. Nothing else may want it."""
    if "pandas" not in sys.modules and not any(isinstance(each, _WithoutPandas) for each in sys.meta_path):
        sys.meta_path.insert(0, _WithoutPandas())
