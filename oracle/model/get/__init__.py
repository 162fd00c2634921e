"""MQGET: `get` follows the call from its refusals (`checks`) to the reply (`reply`) and its rules (`notes`).

`signals` is MQGMO_SET_SIGNAL, by which a get on z/OS that finds nothing asks for a signal when a message arrives.
"""
