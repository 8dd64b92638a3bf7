"""The command. A subcommand is a module with `add_arguments(parser)` and `run(args) -> int`. It is
imported only when it is used, so that `tearsheet --help` starts at once."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from tearsheet.exit_codes import CODES, INTERRUPTED, USAGE, exit_code


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: its module, its purpose, and the extra of the package that it needs."""

    module: str
    help: str
    extra: str = ""


COMMANDS: Final = {
    "clip": Command("cli.clip", "clip the article out of pages, as a document of any format"),
    "inspect": Command("cli.inspect", "draw a page with what was kept and why", "pdf"),
    "methods": Command("cli.methods", "list the methods that find the article"),
    "formats": Command("cli.formats", "list the output formats"),
    "doctor": Command("cli.doctor", "show what is installed, what is missing and how to get it"),
    "bulk": Command("bulk.command", "clip whole archives and lists of addresses", "bulk"),
    "serve": Command("serve.command", "run the web service", "service"),
    "store": Command("store.command", "print the token of a service's store, or upgrade the store"),
    "mcp": Command("serve.mcp", "offer clipping to language models as tools", "mcp"),
    "evaluate": Command(
        "evaluate.command", "measure methods on pages whose right result is known", "bench"
    ),
    "reproduce": Command(
        "evaluate.reproduce.command", "run the experiments of the papers again", "train"
    ),
    "label": Command("label.command", "label the lines of saved pages with their roles"),
    "train": Command(
        "learn.command", "train a method, on public data or on your corrections", "train"
    ),
    "help": Command("cli.help", "explain a command or a topic"),
    "completion": Command("cli.completion", "print a script that completes commands in a shell"),
}
_PACKAGE: Final = Path(__file__).parents[1]
_EPILOG: Final = (
    "exit codes (with several sources, the highest):\n"
    + "\n".join(f"  {code:3}  {text}" for code, text in CODES.items())
    + "\n\nMore: tearsheet COMMAND --help, tearsheet help TOPIC"
)


class Parser(argparse.ArgumentParser):
    """Prints an error in one line, and where to read on."""

    help_of = ""
    """The command in use, if the error may be about its arguments."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message}; see {self.help_of or self.prog} --help\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code. Errors are one line on stderr."""
    argv = sys.argv[1:] if argv is None else list(argv)
    if not argv:
        _parser(argv).print_help(sys.stderr)
        return USAGE
    try:
        args = _parser(argv).parse_args(argv)
        code: int = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("TEARSHEET_DEBUG"):
            raise
        shown = _name_extra(error, argv)
        print(f"tearsheet: {_error_line(shown)}", file=sys.stderr)
        return exit_code(shown)
    return code


def _parser(argv: Sequence[str]) -> Parser:
    """A parser that knows the names of all commands, and the arguments of the one in use."""
    from tearsheet import __version__

    parser = Parser(
        prog="tearsheet",
        description="Clips the article out of any web page and turns it into a clean document.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tearsheet {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    asked = _find_command(argv)
    for name, command in COMMANDS.items():
        if not _exists(command):
            continue
        own = commands.add_parser(name, help=command.help, description=_sentence(command.help))
        if name == asked:
            parser.help_of = f"tearsheet {name}"
            _add_command(own, name, command)
    return parser


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command, with its arguments."""
    commands = next(
        action
        for action in _parser([name])._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    found: argparse.ArgumentParser = commands.choices[name]
    return found


def _find_command(argv: Sequence[str]) -> str:
    return next((word for word in argv if not word.startswith("-")), "")


def _exists(command: Command) -> bool:
    """Whether this version of the package has the command at all."""
    path = _PACKAGE / command.module.replace(".", "/")
    return path.with_suffix(".py").exists() or path.is_dir()


def _add_command(parser: argparse.ArgumentParser, name: str, command: Command) -> None:
    """Imports the command's module and adds its arguments."""
    module = importlib.import_module(f"tearsheet.{command.module}")
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


def _name_extra(error: Exception, argv: Sequence[str]) -> Exception:
    """The error; for a missing package, the extra that installs it."""
    from tearsheet.errors import MissingExtra, TearsheetError

    name = _find_command(argv)
    extra = COMMANDS[name].extra if name in COMMANDS else ""
    package = getattr(error, "name", None) or ""
    is_missing = isinstance(error, ModuleNotFoundError) and not isinstance(error, TearsheetError)
    if not is_missing or not extra or package.startswith("tearsheet"):
        return error
    return MissingExtra(f"tearsheet {name}", package.partition(".")[0], extra)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _error_line(error: Exception) -> str:
    """An error in one line."""
    from tearsheet.addresses import drop_password
    from tearsheet.errors import TearsheetError
    from tearsheet.writing import drop_controls

    text = " ".join(drop_controls(drop_password(str(error))).split())
    if isinstance(error, TearsheetError):
        return text
    if isinstance(error, OSError) and error.strerror:
        return drop_controls(f"{error.filename or 'i/o'}: {error.strerror.lower()}")
    return f"{type(error).__name__}: {text} (a bug of ours; TEARSHEET_DEBUG=1 shows where)"
