"""The MQI's C interface: layouts, selectors of attributes, and command messages.

The model has calls as values; this package has their binary forms, which clients and queue managers exchange.
"""
