"""MQPUT and MQPUT1: `put` reads as the call goes, from its refusals (`checks`) to the rules that it notes (`notes`)."""
