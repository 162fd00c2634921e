"""Connections and handles (`objects`), and what they open: names, dynamic queues and attributes of queues."""
