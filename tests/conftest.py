"""What holds for every test: property tests are judged by their property, not by the machine's speed that day."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("mqoracle", deadline=None, print_blob=True)
settings.load_profile("mqoracle")
