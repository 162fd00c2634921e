"""Audits day after day: what is carried from one day to the next, and how it is kept."""
