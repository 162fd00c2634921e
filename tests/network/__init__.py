"""Tests of the queue manager on the network."""
