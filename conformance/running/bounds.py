"""The greatest values of numeric options.

The module is separate because the pytest plugin is loaded in runs without the suite.
"""

from __future__ import annotations

from typing import Final

LONGEST_TIME_LIMIT_S: Final = 86_400.0
"""One day: a longer time limit makes no sense."""

LONGEST_SEARCH_MINUTES: Final = 10_080.0
"""One week."""

MOST_JOBS: Final = 64
"""The greatest number of targets side by side: each worker takes some hundred megabytes."""
