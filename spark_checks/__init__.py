"""The audit: reads what an MQ system logged, and says with Spark which rules the log shows broken."""
