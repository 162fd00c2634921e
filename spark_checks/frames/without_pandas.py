"""An import hook that keeps pyarrow from loading pandas.

If pandas is installed, pyarrow loads it as soon as it makes arrays of Python values, to recognize its types. That takes
longer than many questions to a log, and the local engine uses no pandas values.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _WithoutPandas(MetaPathFinder):
    """An import hook that reports pandas as missing."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise ModuleNotFoundError for pandas, and leave everything else to other finders."""
        del path, target
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is left out", name=fullname)
        return None


def leave_pandas_out() -> None:
    """Install the hook for the rest of this process, unless pandas is loaded already. Nothing else may need pandas."""
    if "pandas" not in sys.modules and not any(isinstance(each, _WithoutPandas) for each in sys.meta_path):
        sys.meta_path.insert(0, _WithoutPandas())
