"""Writes the manual page `docs/tearsheet.1` from the command's own declarations."""

from __future__ import annotations

import argparse
from pathlib import Path

from tearsheet.cli import COMMANDS, command_parser
from tearsheet.cli.help import TOPICS
from tearsheet.exit_codes import CODES

PAGE = Path(__file__).parents[1] / "docs/tearsheet.1"
HEAD = """.TH TEARSHEET 1
.SH NAME
tearsheet \\- clips the article out of any web page
.SH SYNOPSIS
.B tearsheet
.I COMMAND
[\\fIOPTION\\fR]...
.SH DESCRIPTION
Clips the article out of web pages and turns it into a clean document: PDF, EPUB, HTML,
Markdown, plain text, Word, OpenDocument, JSON or TEI. Data goes to standard output or to files,
messages to standard error.
"""


def manual() -> str:
    """The page in the language of man(7)."""
    commands = "".join(_command(name) for name in COMMANDS)
    codes = "".join(f".TP\n.B {code}\n{_escape(text)}\n" for code, text in CODES.items())
    environment = _escape(TOPICS["environment"].partition("\n\n")[2])
    return (
        f"{HEAD}.SH COMMANDS\n{commands}.SH EXIT STATUS\n{codes}"
        f".SH ENVIRONMENT\n.nf\n{environment}.fi\n"
    )


def _command(name: str) -> str:
    options = "".join(_option(action) for action in command_parser(name)._actions)
    return f".SS {name}\n{_escape(COMMANDS[name].help)}.\n{options}"


def _option(action: argparse.Action) -> str:
    if action.dest == "help":
        return ""
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else "")
    takes = action.nargs != 0
    value = value or (action.dest.upper() if takes else "")
    names = ", ".join(f"\\fB{_escape(word)}\\fR" for word in action.option_strings)
    shown = f"{names} \\fI{_escape(str(value))}\\fR" if takes else names
    return f".TP\n{shown.strip()}\n{_escape(_text(action))}\n"


def _text(action: argparse.Action) -> str:
    return " ".join((action.help or "").replace("%%", "%").split())


def _escape(text: str) -> str:
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


if __name__ == "__main__":
    PAGE.write_text(manual(), encoding="utf-8")
