"""What a program needs to speak the MQI's C interface: layouts, selectors of attributes, and command messages.

The model knows calls as values; this package knows them as the C interface has them. Clients and queue managers
in C meet it from either side.
"""
