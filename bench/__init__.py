"""Measurements, and pages made of what the project holds."""
