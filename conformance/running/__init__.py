"""The performance of checks on workers, one or several side by side, whatever a target does."""
