"""The subcommands of `mq-conform`, one a file."""
