"""The command: what goes where, what the exit codes mean, and what bad input becomes."""

from __future__ import annotations

import gzip
import io
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tearsheet import Options, TearsheetError, exit_codes, extract, plugins
from tearsheet.cli import COMMANDS, main
from tearsheet.cli.addresses import complete_address
from tearsheet.cli.progress import SourceProgress
from tearsheet.installation import install_command

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples/site/news/last-ferry.html"
TEXT = "The first snow of the year fell in the night, and nobody in the valley was ready for it."
PAGE = f"""<html><title>Snow</title><body><nav><a href="/">Home</a></nav>
<h1>Snow</h1><p>{TEXT}</p>
<p>By noon the road to the pass was closed, and the school bus had turned back at the bridge.</p>
<footer>Imprint</footer>"""


def tearsheet(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command as a program of its own."""
    command = [sys.executable, "-m", "tearsheet", *args]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=300)


@pytest.fixture
def page(tmp_path: Path) -> str:
    path = tmp_path / "snow.html"
    path.write_text(PAGE, encoding="utf-8")
    return str(path)


class TestWhereThingsGo:
    def test_a_file_is_clipped_to_stdout_without_messages(self) -> None:
        done = tearsheet("clip", str(SAMPLE), "-f", "txt", "--render", "never")
        assert done.returncode == exit_codes.OK
        assert b"Josiah Lamb" in done.stdout
        assert done.stderr == b""

    def test_a_dash_is_stdout_and_no_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        done = tearsheet("clip", str(SAMPLE), "-o", "-", "--render", "never")
        assert b"Josiah Lamb" in done.stdout
        assert not list(tmp_path.iterdir())

    def test_pictures_of_markdown_go_into_a_folder_beside_it(
        self, sample_site: str, tmp_path: Path
    ) -> None:
        out = tmp_path / "ferry.md"
        how = ["--allow-private", "--render", "never", "--pictures", "folder", "-o", str(out)]
        assert main(["clip", f"{sample_site}/blog/nets.html", *how]) == exit_codes.OK
        names = {path.name for path in (tmp_path / "ferry-pictures").iterdir()}
        assert names
        text = out.read_text("utf-8")
        assert all(f"](ferry-pictures/{name})" in text for name in names)

    def test_a_folder_of_pictures_is_for_markdown_in_a_file(
        self, page: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["clip", page, "-f", "html", "--pictures", "folder"]) == exit_codes.USAGE
        assert "--pictures folder is for Markdown" in capfd.readouterr().err

    def test_what_is_doubtful_is_said_beside_stdout(self, page: str) -> None:
        done = tearsheet("clip", page, "-f", "txt", "--render", "never")
        assert TEXT in done.stdout.decode()
        assert b"Imprint" not in done.stdout
        assert done.stderr.startswith(b"  check it: ")

    def test_what_is_missing_is_said_once(self, tmp_path: Path) -> None:
        done = tearsheet("clip", str(SAMPLE), "-o", str(tmp_path / "story.epub"))
        assert b"\n  missing: 2 of 2 pictures could not be loaded\n" in done.stderr

    def test_a_dash_is_standard_input(self) -> None:
        done = tearsheet("clip", "-", "-f", "txt", "--render", "never", stdin=PAGE.encode())
        assert b"school bus" in done.stdout

    def test_the_suffix_of_the_output_chooses_the_format(
        self, page: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "made" / "snow.json"
        assert main(["clip", page, "-o", str(out), "--render", "never"]) == exit_codes.OK
        assert out.read_text("utf-8").startswith("{")
        said = capfd.readouterr()
        assert said.out == ""
        assert str(out) in said.err

    def test_quiet_says_nothing(
        self, page: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        main(["clip", page, "-q", "-o", str(tmp_path / "a.md"), "--render", "never"])
        assert capfd.readouterr() == ("", "")

    def test_several_sources_go_into_a_folder_by_their_titles(
        self, page: str, tmp_path: Path
    ) -> None:
        folder = tmp_path / "clips"
        assert main(["clip", page, page, "-f", "md", "-o", f"{folder}/", "--render", "never"]) == 0
        assert sorted(path.name for path in folder.iterdir()) == ["snow-2.md", "snow.md"]

    def test_several_sources_make_one_document(
        self, page: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["clip", page, page, "-f", "txt", "--render", "never"]) == exit_codes.OK
        assert capfd.readouterr().out.count(TEXT) == 2

    def test_of_several_sources_the_good_are_clipped_and_the_worst_decides(
        self, page: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        empty = tmp_path / "empty.html"
        empty.touch()
        sources = [str(empty), page, str(tmp_path / "none.html")]
        code = main(["clip", *sources, "-f", "txt", "--render", "never"])
        said = capfd.readouterr()
        assert code == exit_codes.NOT_FETCHED
        assert TEXT in said.out
        assert sum(line.startswith("tearsheet: ") for line in said.err.splitlines()) == 2

    def test_an_address_on_loopback_is_refused_unless_allowed(
        self, sample_site: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        address = f"{sample_site}/news/last-ferry.html"
        how = ["-f", "txt", "--render", "never", "--pages", "one", "--print-page", "never"]
        assert main(["clip", address, *how]) == exit_codes.NOT_FETCHED
        assert "--allow-private" in capfd.readouterr().err
        assert main(["clip", address, "--allow-private", *how]) == exit_codes.OK
        assert "Josiah Lamb" in capfd.readouterr().out

    def test_a_closed_pipe_is_not_an_error(self) -> None:
        command = f"{sys.executable} -m tearsheet clip {SAMPLE} -f json --render never | head -c 1"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")


class TestExitCodes:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["clip", "-", "--language", "en"],
            ["clip", "-", "--columns"],
            ["clip", "-", "--images", "huge"],
            ["clip"],
            ["clap"],
        ],
    )
    def test_wrong_use_is_one_line_that_names_the_help(
        self, arguments: list[str], capfd: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        said = capfd.readouterr().err
        assert ended.value.code == exit_codes.USAGE
        assert said.count("\n") == 1
        assert f"tearsheet {'clip ' if arguments[0] == 'clip' else ''}--help" in said

    def test_without_a_command_it_lists_them(self, capfd: pytest.CaptureFixture[str]) -> None:
        assert main([]) == exit_codes.USAGE
        assert "doctor" in capfd.readouterr().err

    @pytest.mark.parametrize(
        ("arguments", "code", "words"),
        [
            (["clip", "no-such-file.html"], exit_codes.NOT_FETCHED, "no such file"),
            (["clip", "-", "-f", "nonsense"], exit_codes.USAGE, "there are:"),
            (["clip", "-", "-o", "x.nonsense"], exit_codes.USAGE, "there are:"),
            (["clip", "-", "--method", "nonsense"], exit_codes.USAGE, "density"),
            (["clip", "ftp://example.org/"], exit_codes.NOT_FETCHED, "only http and https"),
            (["clip", "http://10.0.0.1/"], exit_codes.NOT_FETCHED, "not a public address"),
            (["clip", "-", "-o", "/dev/null/x.md"], exit_codes.NOT_WRITTEN, "/dev/null"),
            (["clip", "-", "--style", "none.css"], exit_codes.USAGE, "none.css"),
            (["clip", "-", "--rules", "nowhere"], exit_codes.USAGE, "there is none"),
            (["clip", "-", "--cookies", "none.txt"], exit_codes.NOT_FETCHED, "none.txt"),
            (["clip", "-", "--request-header", "foo"], exit_codes.USAGE, "wiki.example"),
            (["clip", "-", "--via-proxy", "foo"], exit_codes.USAGE, "http://proxy.example"),
            (["clip", "-", "-o", "x.pdf", "--margin", "400mm"], exit_codes.USAGE, "room"),
            (["inspect", "-", "-o", "x.gif"], exit_codes.USAGE, ".png"),
            (["bulk", "no-such.warc", "-o", "out"], exit_codes.NOT_FETCHED, "no such file"),
            (["clip", "-", "--paper", "foo"], exit_codes.USAGE, "a3, a4, a5"),
            (["clip", "-", "--margin", "foo"], exit_codes.USAGE, "20mm"),
            (["clip", "-", "--columns", "9"], exit_codes.USAGE, "from 1 to 4"),
            (
                ["clip", "-", "--font", "Nonsense Grotesk", "-o", "x.pdf"],
                exit_codes.USAGE,
                "such as",
            ),
            (["help", "nonsense"], exit_codes.USAGE, "exit-codes"),
        ],
    )
    def test_each_error_is_one_line_and_a_code(
        self,
        arguments: list[str],
        code: int,
        words: str,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PAGE.encode())))
        how = [] if arguments[0] in ("help", "bulk") else ["--render", "never"]
        assert main([*arguments, *how]) == code
        said = capfd.readouterr()
        assert said.out == ""
        assert words in said.err
        assert said.err.count("\n") == 1

    def test_a_stack_trace_is_shown_to_those_who_ask_for_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TEARSHEET_DEBUG", "1")
        with pytest.raises(TearsheetError):
            main(["clip", "no-such-file.html"])

    def test_an_interruption_is_130(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Interrupted(io.TextIOWrapper):
            @property
            def buffer(self) -> io.BufferedReader:
                raise KeyboardInterrupt

        monkeypatch.setattr(sys, "stdin", Interrupted(io.BytesIO()))
        assert main(["clip", "-"]) == exit_codes.INTERRUPTED

    def test_a_page_over_the_limit_is_5(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        big = tmp_path / "big.html"
        with big.open("wb") as file:
            file.truncate(Options().max_bytes + 1)
        assert main(["clip", str(big)]) == exit_codes.LIMIT
        assert "larger than" in capfd.readouterr().err


BAD = {
    "empty": b"",
    "blank": b" \n\t ",
    "no text": b"<html><body><img src=a.png></body>",
    "binary": bytes(range(256)) * 40,
    "PDF": b"%PDF-1.7\n%\xe2\xe3\n1 0 obj<</Type/Catalog>>endobj",
    "PNG": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "JPEG": b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(1000),
    "truncated gzip": gzip.compress(PAGE.encode() * 100)[:-20],
}
ODD = {
    "NUL bytes": PAGE.replace(" ", "\0 ").encode(),
    "a lying charset": b"<meta charset=utf-16>" + PAGE.encode(),
    "an unknown charset": b"<meta charset=nonsense>" + PAGE.encode(),
    "UTF-16 with a mark": PAGE.encode("utf-16"),
    "bytes that are no UTF-8": PAGE.encode() + b"\xff\xfe\xc3",
    "100,000 nested tags": b"<div>" * 100_000 + PAGE.encode(),
    "50 MB": PAGE.encode()
    + b"<!-- "
    + b"x" * 25_000_000
    + b"-->"
    + (b"<p>" + b"many words " * 50) * 48_000,
    "an unclosed comment": PAGE.encode() + b"<!-- ",
    "an unclosed attribute": PAGE.encode() + b'<p title="',
}


class TestBadInput:
    @pytest.mark.parametrize("name", BAD)
    def test_what_is_not_a_page_is_a_clear_error(
        self, name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(TearsheetError):
            extract(BAD[name])
        path = tmp_path / "bad.html"
        path.write_bytes(BAD[name])
        code = main(["clip", str(path), "-f", "txt", "--render", "never"])
        assert code in (exit_codes.NOTHING, exit_codes.NOT_FETCHED)
        assert capfd.readouterr().err.count("\n") == 1

    @pytest.mark.parametrize("name", ODD)
    def test_what_is_odd_is_still_read(self, name: str) -> None:
        assert TEXT in extract(ODD[name], method="density").text or name == "50 MB"

    def test_text_in_the_wrong_charset_is_read_by_its_bytes(self) -> None:
        text = "Überall fällt Schnee, größer als gedacht, und alle Straßen sind für Stunden zu."
        page = f"<meta charset=utf-8><p>{text}".encode("latin-1")
        assert extract(page).text == text

    def test_more_nodes_than_allowed_are_a_clear_error(self) -> None:
        with pytest.raises(TearsheetError, match="nodes"):
            extract("<p>a" * 100, options=Options(max_nodes=50))


class TestInspect:
    def test_a_page_without_layout_becomes_a_graph(self, tmp_path: Path) -> None:
        out = tmp_path / "graph.png"
        assert main(["inspect", str(SAMPLE), "-o", str(out), "--render", "never"]) == exit_codes.OK
        assert _size(out) == (1200, 520 + 44)

    def test_a_rendered_page_is_drawn_on(
        self, sample_site: str, tmp_path: Path, browser: object
    ) -> None:
        out = tmp_path / "page.png"
        address = f"{sample_site}/news/last-ferry.html"
        assert main(["inspect", address, "--allow-private", "-o", str(out)]) == exit_codes.OK
        width, height = _size(out)
        assert width == 1280
        assert height > 2000

    @pytest.mark.parametrize(
        ("wish", "instead"),
        [(["-o", "x.png"], "a graph is drawn"), (["--explain"], "the page is only parsed")],
    )
    def test_without_a_browser_it_says_what_it_does_instead(
        self, wish: list[str], instead: str, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, no_browser: None, capfd: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        page = SAMPLE.absolute()
        monkeypatch.chdir(tmp_path)
        assert main(["inspect", str(page), *wish]) == exit_codes.OK
        assert f"not rendered, so {instead}: no browser was found" in capfd.readouterr().err

    def test_the_help_says_when_a_page_is_drawn(self, capfd: pytest.CaptureFixture[str]) -> None:
        """By default `inspect` draws each page, `clip` only those that it cannot read otherwise."""
        for command, when in (
            ("inspect", "whenever a browser can be started"),
            ("clip", "if it cannot be read otherwise"),
        ):
            with pytest.raises(SystemExit):
                main([command, "--help"])
            assert f"(default: auto, {when})" in " ".join(capfd.readouterr().out.split())

    def test_explain_lists_every_segment(self, capfd: pytest.CaptureFixture[str]) -> None:
        assert main(["inspect", str(SAMPLE), "--explain", "--render", "never"]) == exit_codes.OK
        lines = capfd.readouterr().out.splitlines()
        assert {line[0] for line in lines} >= {"+", "-"}


def _size(path: Path) -> tuple[int, int]:
    image = pytest.importorskip("PIL.Image")
    with image.open(path) as opened:
        width, height = opened.size
    return width, height


class TestLists:
    def test_help_fits_on_a_screen(self) -> None:
        done = tearsheet("--help")
        assert done.returncode == exit_codes.OK
        assert 20 <= done.stdout.count(b"\n") <= 40

    @pytest.mark.parametrize(("command", "folder"), [("methods", "methods"), ("formats", "layout")])
    def test_every_plug_in_is_listed_with_a_sentence(
        self, command: str, folder: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert main([command]) == exit_codes.OK
        listed = dict(line.split(maxsplit=1) for line in capfd.readouterr().out.splitlines())
        assert tuple(sorted(listed)) == plugins.names(folder)

    def test_a_method_is_told_with_its_paper_its_deviations_and_what_faithful_means(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["methods", "clipper"]) == exit_codes.OK
        said = capfd.readouterr().out
        assert "KDD 2011" in said
        assert "  3. Justified text counts as left." in said
        assert "--faithful: without deviations 5 to 7" in said
        assert "images 2. `<figcaption>` and elements with a name" in said
        assert "title 2. The similarity m" in said
        assert main(["methods", "density"]) == exit_codes.OK
        assert "density 1. The paper lists" in capfd.readouterr().out
        assert main(["methods", "nobody"]) != exit_codes.OK
        assert "clipper" in capfd.readouterr().err

    def test_doctor_says_what_is_there(self, capfd: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor"]) == exit_codes.OK
        said = capfd.readouterr().out
        assert "browser" in said
        assert "[pdf]" in said

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_help(self, name: str, capfd: pytest.CaptureFixture[str]) -> None:
        if not (ROOT / "src/tearsheet" / f"{COMMANDS[name].module.replace('.', '/')}.py").exists():
            pytest.skip(f"{name} is not in this version")
        with pytest.raises(SystemExit, match="0"):
            main([name, "--help"])
        assert f"usage: tearsheet {name}" in capfd.readouterr().out

    def test_a_command_whose_extra_is_missing_says_how_to_get_it(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setitem(sys.modules, "tearsheet.cli.inspect", None)
        monkeypatch.setattr("importlib.import_module", _without_pillow)
        assert main(["inspect", "x"]) == exit_codes.USAGE
        assert install_command("pdf") in capfd.readouterr().err

    @pytest.mark.parametrize(
        ("module", "arguments", "extra"),
        [
            ("uvicorn", ["serve", "--port", "0"], "service"),
            ("fastapi", ["serve", "--port", "0"], "service"),
            ("mcp", ["mcp"], "mcp"),
            ("pyarrow", ["bulk", "x.warc", "-o", "out"], "bulk"),
            ("typst", ["clip", str(SAMPLE), "-f", "pdf", "-o", "x.pdf"], "pdf"),
            ("PIL", ["inspect", str(SAMPLE), "-o", "x.png"], "pdf"),
        ],
    )
    def test_a_missing_package_is_one_sentence_with_the_command(
        self, module: str, arguments: list[str], extra: str, tmp_path: Path
    ) -> None:
        """Also where it is missed only when the command runs."""
        absent = f"import sys; sys.modules[{module!r}] = None\n"
        program = f"{absent}from tearsheet.cli import main; sys.exit(main({arguments!r}))"
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True, check=False, cwd=tmp_path, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == exit_codes.USAGE
        assert done.stderr.count("\n") == 1
        assert install_command(extra) in done.stderr

    def test_pictures_that_need_a_package_are_missed_with_the_command(self, tmp_path: Path) -> None:
        arguments = ["clip", str(ROOT / "samples/saved/last-ferry.html"), "-o", "x.epub"]
        absent = "import sys; sys.modules['PIL'] = None\n"
        program = f"{absent}from tearsheet.cli import main; sys.exit(main({arguments!r}))"
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True, check=True, cwd=tmp_path, text=True, timeout=120,
        )  # fmt: skip
        assert "missing: 2 of 2 pictures could not be loaded" in done.stderr
        assert done.stderr.count(install_command("pdf")) == 1

    def test_mcp_needs_no_other_extra(self) -> None:
        program = (
            "import sys\nfor name in ('fastapi', 'typst', 'PIL'): sys.modules[name] = None\n"
            "from tearsheet.cli import command_parser; command_parser('mcp')\n"
            "from tearsheet.serve.mcp import tools; from tearsheet.serve.settings import *\n"
            "tools(ServiceSettings())"
        )
        pytest.importorskip("mcp")
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=False, text=True
        )
        assert done.returncode == 0, done.stderr


def _without_pillow(name: str) -> None:
    raise ModuleNotFoundError("No module named 'PIL'", name="PIL")


class TestHelp:
    def test_a_topic_is_explained(self, capfd: pytest.CaptureFixture[str]) -> None:
        assert main(["help", "exit-codes"]) == exit_codes.OK
        said = capfd.readouterr().out
        assert all(text in said for text in exit_codes.CODES.values())
        assert main(["help", "clip"]) == exit_codes.OK
        assert "usage: tearsheet clip" in capfd.readouterr().out
        assert main(["help"]) == exit_codes.OK
        assert "environment" in capfd.readouterr().out

    def test_the_manual_page_is_that_of_the_command(self) -> None:
        manual = runpy.run_path(str(ROOT / "scripts/manual.py"))["manual"]
        written = (ROOT / "docs/tearsheet.1").read_text("utf-8")
        assert manual() == written, "`make manual` writes it again"

    def test_the_manual_page_does_not_depend_on_the_machine(self) -> None:
        program = (
            "import os, runpy; os.cpu_count = lambda: 7; "
            "print(runpy.run_path('scripts/manual.py')['manual'](), end='')"
        )
        said = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True
        )
        assert said.stdout.decode() == (ROOT / "docs/tearsheet.1").read_text("utf-8")

    def test_bash_completes_commands_options_and_values(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["completion", "bash"]) == exit_codes.OK
        script = tmp_path / "completion.bash"
        script.write_text(capfd.readouterr().out, encoding="utf-8")
        asked = {
            "comp": "completion",
            "clip --pap": "--paper",
            "help ex": "exit-codes",
            "clip --favor prec": "precision",
        }
        for typed, complete in asked.items():
            words = f"(tearsheet {typed})"
            last = len(typed.split())
            done = subprocess.run(
                ["bash", "-c", f"source {script}; COMP_WORDS={words}; COMP_CWORD={last}; "
                 '_tearsheet; echo "${COMPREPLY[@]}"'],
                capture_output=True, check=True, text=True,
            )  # fmt: skip
            assert done.stdout.split() == [complete]

    @pytest.mark.parametrize("shell", ["fish", "zsh"])
    def test_other_shells_have_a_script(
        self, shell: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["completion", shell]) == exit_codes.OK
        assert "font-size" in capfd.readouterr().out


class TestAddressesAsTyped:
    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("example.org", "https://example.org"),
            ("www.example.co.uk/story?a=1", "https://www.example.co.uk/story?a=1"),
            ("example.md/story", "https://example.md/story"),
            ("notes.md", "notes.md"),
            ("page.html", "page.html"),
            ("folder/page.html", "folder/page.html"),
            ("../page.html", "../page.html"),
            ("http://example.org", "http://example.org"),
            ("localhost:8000/x", "http://localhost:8000/x"),
            ("192.168.0.1", "http://192.168.0.1"),
            ("localhosts", "localhosts"),
            ("-", "-"),
        ],
    )
    def test_https_is_added_to_hosts_only(self, typed: str, meant: str) -> None:
        assert complete_address(typed) == meant

    def test_a_file_of_that_name_comes_first(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "example.org").touch()
        assert complete_address("example.org") == "example.org"


def test_what_could_not_be_had_is_said(
    tmp_path: Path, sample_site: str, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    paragraph = f"<p>{TEXT} {TEXT} {TEXT}</p>"
    figure = f'<figure><img src="{sample_site}/none.png" width=600 height=400></figure>'
    page.write_text(
        f"<title>Snow</title><article><h1>Snow</h1>{paragraph * 3}{figure}{paragraph}",
        encoding="utf-8",
    )
    arguments = ["--allow-private", "--render", "never", "-o", str(tmp_path / "page.html.epub")]
    assert main(["clip", str(page), *arguments]) == exit_codes.OK
    assert "1 of 1 pictures" in capfd.readouterr().err


def test_fonts_that_the_machine_lacks_are_said_before_a_pdf_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tearsheet.layout.pdf.font_families", lambda: ("Libertinus Serif",))
    page, target = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(f"<title>高山</title><article><h1>高山</h1><p>{TEXT} 高山 {TEXT}</p>", "utf-8")
    assert main(["clip", str(page), "--render", "never", "-o", str(target)]) == exit_codes.OK
    said = capfd.readouterr().err
    assert said.index("apt install fonts-noto-cjk") < said.index("→")


class _Terminal(io.StringIO):
    """A terminal that knows when it was written to."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if "2/4" in text:
            self.written.set()
        return super().write(text)


def test_progress_is_shown_on_a_terminal_and_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tearsheet.cli.progress._PATIENCE", 0.0)
    stream = _Terminal()
    with SourceProgress(4, stream=stream) as progress:
        progress.next("a.html")
        progress.next("b.html")
        assert stream.written.wait(60)
    assert "[#####...............] 2/4" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_progress_is_silent_elsewhere() -> None:
    stream = io.StringIO()
    with SourceProgress(1, stream=stream) as progress:
        progress.next("a.html")
    assert stream.getvalue() == ""
