"""Triggers: when a queue makes a trigger event (`events`), and the trigger message (`messages`)."""
