"""Paywalls and questions for consent, as reasons for a low confidence."""

from __future__ import annotations

import numpy as np
import pytest

import tearsheet
from tearsheet.features import paywall
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

STUB = "<article><h1>Boats come home</h1><p>The harbour was quiet when they came.</p></article>"


def explain(html: str) -> str:
    page = parse(html)
    parts = segments(page)
    return " ".join(paywall.find_walls(page, parts, np.ones(len(parts), dtype=np.bool_)))


@pytest.mark.parametrize("value", ["false", '"False"', '"false"'])
def test_a_page_that_says_it_is_not_free(value: str) -> None:
    data = f'{{"@type": "NewsArticle", "isAccessibleForFree": {value}}}'
    html = f'<script type="application/ld+json">{data}</script>{STUB}'
    assert "paywall" in explain(html)
    assert "paywall" not in explain(html.replace(value, "true"))
    assert any("paywall" in reason for reason in tearsheet.extract(html).reasons)


@pytest.mark.parametrize(
    "words",
    ["Already a subscriber? Sign in", "Jetzt abonnieren und weiterlesen", "Réservé aux abonnés",
     "Solo para suscriptores", "Riservato agli abbonati", "この記事は有料会員限定です"],
)  # fmt: skip
def test_an_overlay_that_asks_for_a_subscription(words: str) -> None:
    assert "paywall" in explain(f'{STUB}<div class="article-paywall"><p>{words}</p></div>')
    assert explain(f'{STUB}<div class="note"><p>{words}</p></div>') == ""


@pytest.mark.parametrize(
    "words",
    ["We value your privacy and use cookies|Accept all cookies",
     "Wir bitten um Ihre Einwilligung|Alle akzeptieren",
     "Nous demandons votre consentement|Tout accepter",
     "Usamos cookies propias y de terceros|Aceptar todo"],
)  # fmt: skip
def test_a_page_that_only_asks_for_consent(words: str) -> None:
    html = "".join(f"<p>{line}</p>" for line in words.split("|"))
    assert "consent wall" in explain(f"<div>{html}</div>")


def test_nothing_hides_a_long_text() -> None:
    text = "<p>We baked cookies, and nobody gave consent to that. " * 60
    data = '<script type="application/ld+json">{"isAccessibleForFree": false}</script>'
    assert explain(data + text) == ""


def test_a_recipe_for_cookies_is_no_consent_wall() -> None:
    steps = "<p>Mix the flour with the butter and wait for an hour or two.</p>" * 8
    assert explain(f"<h1>Oat cookies</h1>{steps}") == ""
