"""Settings that all tests share."""

from __future__ import annotations

import os

from hypothesis import Phase, settings

# "repeatable" draws the same few examples on every run, so that a change is judged by what it changed. "thorough", for
# .ci/run --all, draws more of them: fifty, or the second number that a test names. "explore" looks for
# new ones: HYPOTHESIS_PROFILE=explore python -m pytest tests/schedules/test_properties.py
settings.register_profile("repeatable", max_examples=30, derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=50, derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
# "unshrunk" stops at the first failing example.
settings.register_profile(
    "unshrunk", max_examples=30, derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
