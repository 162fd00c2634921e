"""Measurements, and writers of the pages that are made from the project."""
