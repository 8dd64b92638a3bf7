"""`python -m tearsheet.evaluate …` is `tearsheet evaluate …`."""

import argparse

from tearsheet.evaluate import command

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="tearsheet evaluate")
    command.add_arguments(parser)
    raise SystemExit(command.run(parser.parse_args()))
