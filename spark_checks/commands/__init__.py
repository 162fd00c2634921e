"""The subcommands of mq-audit, and what they have in common."""
