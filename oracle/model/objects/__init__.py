"""Connections and handles (`objects`), and what they are opened on: names, dynamic queues and attributes of queues."""
