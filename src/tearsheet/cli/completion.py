"""`tearsheet completion bash`: a script that completes commands, options and their values.

source <(tearsheet completion bash)          # in ~/.bashrc
source <(tearsheet completion zsh)           # in ~/.zshrc, after compinit
tearsheet completion fish | source           # in ~/.config/fish/config.fish
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from typing import Final

from tearsheet import plugins
from tearsheet.cli import COMMANDS, command_parser
from tearsheet.cli.help import TOPICS
from tearsheet.exit_codes import OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(_SHELLS), help="the shell to complete in")


def run(args: argparse.Namespace) -> int:
    print(_SHELLS[args.shell](), end="")
    return OK


def _bash() -> str:
    """A function with a case for each command, and within it one for each option with values."""
    cases = "".join(
        f"    {name})\n      case $before in\n{_bash_values(name)}"
        f"        *) words={shlex.quote(' '.join(_flags(name)))} ;;\n      esac ;;\n"
        for name in COMMANDS
    )
    return (
        "_tearsheet() {\n"
        "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words\n"
        "  if [ $COMP_CWORD = 1 ]; then\n"
        f"    words={shlex.quote(' '.join([*COMMANDS, '--help', '--version']))}\n"
        "  else case ${COMP_WORDS[1]} in\n"
        f"{cases}"
        "  esac; fi\n"
        '  COMPREPLY=($(compgen -W "$words" -- "$current"))\n'
        "}\n"
        "complete -o default -F _tearsheet tearsheet\n"
    )


def _bash_values(name: str) -> str:
    return "".join(
        f"        {'|'.join(action.option_strings)}) words={shlex.quote(' '.join(values))} ;;\n"
        for action, values in _choosing_actions(name)
        if action.option_strings
    )


def _zsh() -> str:
    """zsh runs the functions of bash."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash()}"


def _fish() -> str:
    lines = [
        f"complete -c tearsheet -n __fish_use_subcommand -a {name} -d {shlex.quote(command.help)}"
        for name, command in COMMANDS.items()
    ]
    for name in COMMANDS:
        seen = f"complete -c tearsheet -n '__fish_seen_subcommand_from {name}'"
        lines += [
            f"{seen} -l {flag.removeprefix('--')}" for flag in _flags(name) if flag[:2] == "--"
        ]
        lines += [
            f"{seen} -l {action.option_strings[-1].lstrip('-')} -x -a {shlex.quote(' '.join(vals))}"
            for action, vals in _choosing_actions(name)
            if action.option_strings
        ]
    return "\n".join(lines) + "\n"


_SHELLS: Final[dict[str, Callable[[], str]]] = {"bash": _bash, "fish": _fish, "zsh": _zsh}


def _flags(name: str) -> list[str]:
    """The options of a command, and the words that can stand without one."""
    words = [word for action in _actions(name) for word in action.option_strings]
    for action, values in _choosing_actions(name):
        words += [] if action.option_strings else values
    return words


def _choosing_actions(name: str) -> Iterator[tuple[argparse.Action, list[str]]]:
    """The arguments of a command whose values are known."""
    folders = {"method": "methods", "format": "layout"}
    for action in _actions(name):
        if action.choices:
            yield action, [str(value) for value in action.choices]
        elif action.dest in folders:
            yield action, list(plugins.names(folders[action.dest]))
        elif action.dest == "topic":
            yield action, [*COMMANDS, *TOPICS]


def _actions(name: str) -> list[argparse.Action]:
    """The arguments of a command; none if its extra is not installed."""
    try:
        return command_parser(name)._actions
    except ModuleNotFoundError:
        return []
