"""Rules of a site from a folder, a file or a store, as `extract`, `clip` and `bulk` follow them."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.target import cpu_limit

from tearsheet import Options, extract
from tearsheet.cli import main
from tearsheet.errors import InvalidOption
from tearsheet.page.parsed import parse
from tearsheet.site_rules.xpath import PageTree
from tearsheet.store import connect
from tearsheet.store.edits import Mark

URL = "https://www.example.org/a"
PAGE = """<html><head><title>T</title></head><body><nav><a href=/>Home</a></nav>
<div class=story><h1>Of tides</h1><span class=by>By Ada Byron</span>
<time class=day>1 May 2024</time>
<p>The tide rises and falls twice a day, and nobody minds it at all in this little town.</p>
<div class="promo box"><p>Subscribe to our letter, which has all of the news that you want.</p>
<img src=/promo.jpg width=600 height=400></div>
<p>The end of the text comes with the evening and <span class=mark>its</span> long grey waves.</p>
<a class=next href=/a?page=2>More</a></div>
<div class=note>A note at the foot of the page that belongs to it as well.</div></body></html>"""


def clip_with(folder: Path, name: str, rules: str, url: str | None = URL) -> str:
    (folder / name).write_text(rules, "utf-8")
    return extract(PAGE, url, options=Options(rules=(str(folder),))).text


def test_our_own_format_keeps_and_drops(tmp_path: Path) -> None:
    text = clip_with(tmp_path, "example.org.toml", 'keep = ["//div.note"]\ndrop = ["//div.promo"]')
    assert "A note at the foot" in text
    assert "Subscribe" not in text
    assert "The tide rises" in text


def test_a_page_without_an_address_has_no_rules_of_a_folder_and_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "example.org.toml").write_text('keep = ["//div.note"]', "utf-8")
    options = Options(rules=(str(tmp_path),))
    assert any("--url" in reason for reason in extract(PAGE, options=options).reasons)
    assert not any("--url" in reason for reason in extract(PAGE, URL, options=options).reasons)
    single = Options(rules=(str(tmp_path / "example.org.toml"),))
    assert not any("--url" in reason for reason in extract(PAGE, options=single).reasons)


def test_only_is_all_of_the_text(tmp_path: Path) -> None:
    text = clip_with(tmp_path, "example.org.toml", 'only = ["//div.none", "//div.note"]')
    assert text == "A note at the foot of the page that belongs to it as well."


def test_a_rule_asks_for_a_role(tmp_path: Path) -> None:
    rules = 'drop = [{path = "//p", role = "advertisement"}]'
    text = clip_with(tmp_path, "example.org.toml", rules)
    assert "The tide rises" in text


def test_the_format_of_ftr_site_config(tmp_path: Path) -> None:
    rules = """# a comment
title: //h1
author: //span[@class='by']
date: //time/text()
body: //div[@id='none']
body: //div[@class='story']
strip_id_or_class: promo
strip_image_src: /ads/
next_page_link: //a[@class='next']/@href
tidy: no
test_url: https://example.org/a
"""
    (tmp_path / "example.org.txt").write_text(rules, "utf-8")
    made = extract(PAGE, URL, options=Options(rules=(str(tmp_path),)))
    assert made.title == "Of tides"
    assert made.metadata.authors == ("Ada Byron",)
    assert made.metadata.published == "2024-05-01"
    assert made.metadata.next_url == "https://www.example.org/a?page=2"
    assert made.metadata.sources["title"] == "rule of the site"
    assert made.text.startswith("The tide rises")
    assert "Subscribe" not in made.text
    assert "A note" not in made.text
    assert made.images == ()


def test_an_expression_that_is_none_is_said(tmp_path: Path) -> None:
    rules = "strip: //p[\nbody: //div[@class='story']"
    (tmp_path / "example.org.txt").write_text(rules, "utf-8")
    made = extract(PAGE, URL, options=Options(rules=(str(tmp_path),)))
    assert any("//p[" in reason and "example.org.txt" in reason for reason in made.reasons)
    assert "The tide rises" in made.text


def test_no_part_of_a_line_is_dropped(tmp_path: Path) -> None:
    text = clip_with(tmp_path, "example.org.toml", 'drop = ["//span.mark"]')
    assert "and its long grey waves" in text


@pytest.mark.parametrize(
    ("name", "url", "follows"),
    [
        ("example.org", URL, True),
        ("www.example.org", URL, True),
        (".example.org", "https://news.example.org/a", True),
        ("example.org", "https://news.example.org/a", False),
        ("other.example", URL, False),
        ("example.org", None, False),
    ],
)
def test_rules_are_for_their_hosts(
    tmp_path: Path, name: str, url: str | None, follows: bool
) -> None:
    text = clip_with(tmp_path, f"{name}.toml", 'only = ["//div.note"]', url)
    assert text.startswith("A note") is follows


def test_one_file_is_for_any_page(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('only = ["//div.note"]', "utf-8")
    assert extract(PAGE, options=Options(rules=(str(path),))).text.startswith("A note")


@pytest.mark.parametrize(
    "rules",
    ['only = "//p["', 'drops = "//p"', "only = 3", 'drop = [{path = "//p", role = "x"}]', "only ="],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, rules: str) -> None:
    with pytest.raises(InvalidOption, match=r"example\.org\.toml.*docs/site-rules\.md"):
        clip_with(tmp_path, "example.org.toml", rules)


def test_a_place_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="a folder of site rules"):
        extract(PAGE, URL, options=Options(rules=(str(tmp_path / "none.db"),)))


def test_the_rules_and_corrections_of_a_store(tmp_path: Path) -> None:
    address = str(tmp_path / "desk.db")
    store = connect(address)
    store.add_rule("example.org", "select", "//div.note")
    off = store.add_rule("example.org", "deselect", "//div.story")
    store.switch_rule(off.id, "off")
    store.correct(URL, "example.org", [Mark("deselect", "/html/body/div[1]/p[2]")], b"")
    text = extract(PAGE, URL, options=Options(rules=(address,))).text
    assert "A note" in text
    assert "The tide rises" in text
    assert "The end of the text" not in text
    other = extract(PAGE, "https://example.org/b", options=Options(rules=(address,))).text
    assert "The end of the text" in other


def test_a_rule_of_a_store_that_would_eat_the_text_is_not_followed(tmp_path: Path) -> None:
    address = str(tmp_path / "desk.db")
    store = connect(address)
    long = PAGE.replace(
        "<p>The end", f"<p>{'Much more is told of the sea here. ' * 30}</p><p>The end"
    )
    store.add_rule("example.org", "deselect", "//div.story", words=3)
    made = extract(long, URL, options=Options(rules=(address,)))
    assert "The tide rises" in made.text
    assert any("would have removed" in reason for reason in made.reasons)


def test_the_commands_clip_and_bulk_follow_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, rules = tmp_path / "page.html", tmp_path / "example.org.toml"
    page.write_text(PAGE, "utf-8")
    rules.write_text('only = ["//div.note"]', "utf-8")
    assert main(["clip", str(page), "--url", URL, "--rules", str(tmp_path), "-f", "txt"]) == 0
    assert "A note at the foot" in capsys.readouterr().out
    out = tmp_path / "out"
    one = ["bulk", str(page), "--rules", str(rules), "-o", str(out), "-f", "txt"]
    assert main(one) == 0
    rows = "".join(file.read_text("utf-8") for file in out.glob("*.txt"))
    assert "A note at the foot" in rows
    assert "The tide rises" not in rows


def test_xpath_sees_the_page_as_it_is_read() -> None:
    page = parse('<p class="a&amp;b">One<!-- x --><o:p>two</o:p> three<p>\x01Four')
    tree = PageTree(page)
    assert tree.read("//p") == "Onetwo three"
    assert tree.read("string(//p[@class='a&b']/@class)") == "a&b"
    assert tree.find("//p[2]/text()") == tree.find("//p[2]")
    assert tree.find("count(//p)") == []


def test_a_rule_of_others_that_takes_too_long_is_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of these goes over the page for each node of a page that has gone over it already."""
    monkeypatch.setattr("tearsheet.site_rules.xpath.SECONDS", 0.5)
    bombs = (
        "//*[count(//*[count(//*) > 1]) > 1]",
        "//b[. = //b[. = //b]]",
        "//b[/html//b[../b=../b]]",
    )
    rules = "".join(f"strip: {bomb}\n" for bomb in bombs) + "strip: //div[@class='note']\n"
    (tmp_path / "example.org.txt").write_text(rules)
    page = PAGE.replace("</body>", "<b>a</b><i>b</i>" * 2_000)
    made = extract(page, URL, options=Options(rules=(str(tmp_path),)))
    left_out = [reason for reason in made.reasons if "takes too long on this page" in reason]
    assert len(left_out) == len(bombs)
    assert "The tide rises" in made.text
    assert "A note at the foot" not in made.text


def test_very_many_rules_that_take_too_long_share_one_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of it, if anything, is for the next; after that, no process is started."""
    monkeypatch.setattr("tearsheet.site_rules.xpath.SECONDS", 0.0)
    monkeypatch.setattr("tearsheet.site_rules.xpath.run_isolated", _fail)
    rules = "".join(f"strip: //*[count(//*[count(//*) > {at}]) > 1]\n" for at in range(50))
    (tmp_path / "example.org.txt").write_text(rules)
    page = PAGE.replace("</body>", "<b>a</b><i>b</i>" * 2_000)
    made = extract(page, URL, options=Options(rules=(str(tmp_path),)))
    assert sum("takes too long on this page" in reason for reason in made.reasons) == 50


def _fail(*given: object, **more: object) -> None:
    pytest.fail("a process was started")


def test_texts_between_very_many_elements_are_each_where_they_were() -> None:
    """lxml counts all children of an element to say how many it has."""
    count = 40_000
    page = parse("<p>first" + "".join(f"<br>word{n}" for n in range(count)))
    with cpu_limit(5):
        tree = PageTree(page)
    assert len(tree.find("//br")) == count
    assert tree.read(f"//br[{count}]/following-sibling::text()") == f"word{count - 1}"
