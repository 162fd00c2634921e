"""What numbers the options take at most. It stands alone, for the pytest plugin is loaded in runs without the suite."""

from __future__ import annotations

from typing import Final

LONGEST_TIME_LIMIT_S: Final = 86_400.0
"""A day: what takes longer is no reply."""

LONGEST_SEARCH_MINUTES: Final = 10_080.0
"""A week."""

MOST_JOBS: Final = 64
"""How many targets may run side by side: each worker takes some hundred megabytes."""
