"""The command line, from the help that click prints."""

import inspect

import click

__all__ = ["command_line"]


def command_line(name: str) -> str:
    """Return a section for each command of a group: what it does, its usage, its arguments and options."""
    from withhold.cli._main import cli

    context = click.Context(cli, info_name=name, **cli.context_settings)
    parts = [_block(cli.get_help(context))]
    for each in cli.list_commands(context):
        command = cli.get_command(context, each)
        assert command is not None
        inside = click.Context(command, info_name=f"{name} {each}", max_content_width=100, terminal_width=100)
        parts += [f"## {name} {each}", _prose(command), _block(command.get_usage(inside)), _options(command, inside)]
    return "\n\n".join(part for part in parts if part)


def _prose(command: click.Command) -> str:
    return inspect.cleandoc(command.help or command.short_help or "").replace("\b\n", "")


def _block(text: str) -> str:
    return f"```text\n{text}\n```"


def _options(command: click.Command, context: click.Context) -> str:
    rows = ["| option | meaning |", "| --- | --- |"]
    for option in command.get_params(context):
        shown = option.get_help_record(context)
        if shown is not None and shown[1]:
            rows.append(f"| `{shown[0]}` | {_cell(shown[1])} |")
    return "\n".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("\n", " ")
