"""`tearsheet help TOPIC`: the help of a command, or a page about a subject."""

from __future__ import annotations

import argparse
from typing import Final

from tearsheet.cli import COMMANDS, command_parser
from tearsheet.errors import UnknownName
from tearsheet.exit_codes import CODES, OK

TOPICS: Final = {
    "sources": """What can be clipped:

  https://example.org/story   an address; https:// may be left out
  page.html, page.mhtml       a saved page: HTML, MHTML, SingleFile
  story.pdf                   a PDF (extra: pdf-in)
  folder/, page.zip           a page saved with its files (index.html inside)
  -                           standard input; --url says where the page came from

Addresses that are not public are refused unless --allow-host, --allow-net or
--allow-private allow them.
""",
    "environment": """What is read from the environment:

  TEARSHEET_DEBUG=1    show the stack trace of an error
  TEARSHEET_BROWSER    path of the browser to use
  TEARSHEET_TOKEN      the secret that clients of `tearsheet serve` send (default: in its store)
  TEARSHEET_STORE      the store of `tearsheet serve`: a file or postgresql://…
  TEARSHEET_SMTP       the mail server of `tearsheet serve`: smtp://user:password@host:587
  TEARSHEET_MAIL_FROM  the sender of its mail
  TEARSHEET_DATA       folder of the public data sets, for evaluate and train
  HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY
                       proxies for fetching pages; --via-proxy overrides them
""",
    "exit-codes": "What the command returns; with several sources, the highest code:\n\n"
    + "".join(f"  {code:3}  {text}\n" for code, text in CODES.items()),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    topics = ", ".join(TOPICS)
    parser.add_argument("topic", nargs="?", default="", help=f"a command, or one of: {topics}")


def run(args: argparse.Namespace) -> int:
    """Prints the help of a topic, or the list of topics."""
    print(explain(args.topic), end="")
    return OK


def explain(topic: str) -> str:
    """The text about a topic."""
    if not topic:
        return _overview()
    if topic in TOPICS:
        return TOPICS[topic]
    if topic in COMMANDS:
        return command_parser(topic).format_help()
    raise UnknownName("topic", topic, [*COMMANDS, *TOPICS])


def _overview() -> str:
    commands = "".join(f"  {name:12} {command.help}\n" for name, command in COMMANDS.items())
    topics = "".join(f"  {name}\n" for name in TOPICS)
    return (
        f"Commands (tearsheet help COMMAND):\n{commands}\nTopics (tearsheet help TOPIC):\n{topics}"
    )
