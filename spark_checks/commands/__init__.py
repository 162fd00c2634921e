"""The subcommands of mq-audit, and what they share."""
