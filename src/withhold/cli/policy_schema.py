"""`withhold policy-schema`: the JSON Schema of a policy file."""

import click

__all__ = ["command"]


@click.command(name="policy-schema", short_help="Print a JSON Schema of policy files, for editors.")
def command() -> None:
    """Print a JSON Schema of policy files, for editors that check while you type."""
    from withhold.cli._show import print_json
    from withhold.policy import policy_schema

    print_json(policy_schema())
