"""`withhold report-schema`: the JSON Schema of an audit's JSON report."""

import click

__all__ = ["command"]


@click.command(name="report-schema", short_help="Print a JSON Schema of audit reports.")
def command() -> None:
    """Print a JSON Schema of what `withhold audit --json` prints."""
    from withhold.cli._show import print_json
    from withhold.report import report_schema

    print_json(report_schema())
