"""MQPUT and MQPUT1: `put` follows the call from its refusals (`checks`) to the rules that it notes (`notes`)."""
