"""The reference model: one concept of the MQI a file; `queue_manager` puts them together."""
