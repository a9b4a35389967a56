"""The list of commands, each loaded when it is asked for, and the wording of click's complaints."""

from __future__ import annotations

from importlib import import_module

import click

from cherrysim import __version__
from cherrysim.flowers import Refused

COMMANDS = {
    "ask": "turns",
    "odds": "turns",
    "explain": "turns",
    "score": "tables",
    "replay": "tables",
    "review": "review",
    "play": "games",
    "compare": "games",
    "policies": "games",
    "train": "train",
    "runs": "runs",
    "report": "report",
    "bench": "bench",
    "serve": "serve",
}
"""Each command and the module of `cherrysim.cli` it lives in, in the order of the help."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:
            raise Refused(
                f"unknown command {cmd_name[:40]!a}; there are {', '.join(COMMANDS)}; see cherrysim --help"
            )
        command = getattr(import_module(f"cherrysim.cli.{COMMANDS[cmd_name]}"), cmd_name)
        assert isinstance(command, click.Command)
        return command


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="cherrysim COMMAND --help tells more about one of them.",
)
@click.version_option(__version__, message="cherrysim %(version)s")
def cherrysim() -> None:
    """Stop, or draw again? Exact answers for a game of cherry blossoms.

    Flowers are written by letter, P pink, Y yellow, L light blue, D dark blue, W white, B black: PYYB,
    "P1 Y2 B1" or "pink=1, yellow=2, black=1".
    """


def run(arguments: list[str]) -> str:
    """The text a command answers with; raises `Refused` for what click does not accept either."""
    try:
        with cherrysim.make_context("cherrysim", arguments or ["--help"]) as context:
            return str(cherrysim.invoke(context))
    except click.exceptions.Exit:
        return ""
    except click.NoSuchOption as error:
        meant = (
            f"did you mean {' or '.join(error.possibilities)}" if error.possibilities else "check its name"
        )
        raise Refused(f"unknown option {error.option_name}; {meant}; {_help(error)}") from None
    except click.MissingParameter as error:
        parameter = error.param
        assert parameter is not None
        name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name
        command = error.ctx.info_name if error.ctx else "cherrysim"
        raise Refused(f"{command} without {name}; it needs one; {_help(error)}") from None
    except click.UsageError as error:
        raise Refused(f"{error.format_message().rstrip('.')}; {_help(error)}") from None


def _help(error: click.UsageError) -> str:
    return f"see {error.ctx.command_path if error.ctx else 'cherrysim'} --help"
