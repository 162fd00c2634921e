"""`mq-conform schema`: the JSON Schemas of the target protocol."""

from __future__ import annotations

import json

import click

from oracle.protocol.schemas import schemas


@click.command(epilog="Example: mq-conform schema request > request.schema.json")
@click.argument("message", type=click.Choice(sorted(schemas())))
def schema(message: str) -> None:
    """Print the JSON Schema of every request, or of every reply."""
    click.echo(json.dumps(schemas()[message], indent=2))
