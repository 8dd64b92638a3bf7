"""What stands before the text of a page: a paywall, or a question for consent.

Told by schema.org's `isAccessibleForFree`, by what overlays are called, and by what they say in the
languages that ask most often. A page with a long text is not looked at: nothing stands before it.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from tearsheet import json_ld
from tearsheet.types import Bools, Page, Segments

SHORT: Final = 300
"""Kept words from which on the text is there, whatever the page calls its parts."""
_OVERLAY: Final = re.compile(
    r' (?:class|id)="[^"]*(?:pay-?_?wall|reg-?wall|subscri(?:ber|ption)-?_?(?:wall|only|gate)|'
    r"metered?-?(?:content|wall)|premium-?(?:content|wall|overlay)|piano-|tp-modal|poool|"
    r"content-?gate|article-?gate|plus-?(?:wall|teaser))",
    re.I,
)
_OVERLAY_WORDS: Final = (
    "wall", "gate", "subscri", "meter", "premium", "piano-", "tp-modal", "poool", "plus",
)  # fmt: skip
"""One of these stands in whatever `_OVERLAY` finds; the expressions take long to say no."""
_SUBSCRIBE: Final = re.compile(
    r"subscribe to (?:read|continue|keep)|subscribers? only|already a subscriber|"
    r"for subscribers|sign in to (?:read|continue)|to continue reading|"
    r"weiterlesen mit|jetzt abonnieren|bereits abonnent|nur für abonnenten|mit .{0,20}abo lesen|"
    r"réservé aux abonnés|déjà abonné|s.abonner pour lire|"
    r"suscríbete para|solo para suscriptores|ya eres suscriptor|"
    r"exclusivo para (?:suscriptores|assinantes)|"
    r"riservato agli abbonati|sei già abbonato|abbonati per|já é assinante|assine para|"
    r"alleen voor abonnees|al abonnee|endast för prenumeranter|redan prenumerant|"
    r"kun for abonnenter|"
    r"for abonnenter|vain tilaajille|tylko dla (?:subskrybentów|prenumeratorów)|"
    r"только для подписчиков|оформите подписку|會員限定|会員限定|有料会員|구독자 전용",
    re.I,
)
_SUBSCRIBE_WORDS: Final = (
    "subscribe", "sign in to", "to continue reading", "weiterlesen mit", "abonn", "abo lesen",
    "suscr", "assin", "abbonat", "prenumer", "tilaajille", "subskryb", "подпис", "會員限定",
    "会員限定", "有料会員", "구독자 전용",
)  # fmt: skip
"""The same for `_SUBSCRIBE`."""
_CONSENT: Final = re.compile(
    r"cookies?\b|\bconsent\b|einwilligung|zustimm|akzeptieren|datenschutz|consentement|"
    r"accepter|consentimiento|aceptar|consenso|accetta|consentimento|aceitar|toestemming|"
    r"accepteren|samtycke|godkänn|samtykke|godta|evästeet|suostumus|zgod[aęy]|souhlas|hozzájárul|"
    r"consimțământ|συγκατάθεση|соглас|çerez|rıza|同意|クッキー|쿠키|ملفات تعريف الارتباط|עוגיות",
    re.I,
)
_CONSENT_WORDS: Final = (
    "cookie", "consent", "einwillig", "zustimm", "akzeptier", "datenschutz", "accept", "acept",
    "consenso", "accetta", "aceitar", "toestemming", "samtyck", "godkänn", "samtykke", "godta",
    "evästeet", "suostumus", "zgod", "souhlas", "hozzájárul", "consimț", "συγκατάθεσ", "соглас",
    "çerez", "rıza", "riza", "同意", "クッキー", "쿠키", "ملفات تعريف الارتباط", "עוגיות",
)  # fmt: skip
"""The same for `_CONSENT`."""
_ASKED: Final = 0.3  # of the kept words: then the page is the question


def find_walls(page: Page, segments: Segments, keep: Bools) -> tuple[str, ...]:
    """Why the text may not be all there is, in words; empty where nothing stands before it."""
    if int(segments.words[keep].sum()) >= SHORT:
        return ()
    found = []
    if _paid(page, segments):
        found.append("a paywall: the page shows a part of its text only")
    if _asks(segments, keep):
        found.append("a consent wall: what is kept asks for consent rather than tells")
    return tuple(found)


def _paid(page: Page, segments: Segments) -> bool:
    if any(map(_says_no, json_ld.read_values(page.scripts, "isAccessibleForFree"))):
        return True
    lines = [text.lower() for text in segments.text]
    said = "\n".join(lines)
    words = [word for word in _SUBSCRIBE_WORDS if word in said]
    if not any(any(word in line for word in words) and _SUBSCRIBE.search(line) for line in lines):
        return False
    named = (raw for raw in set(page.attrs) if any(word in raw.lower() for word in _OVERLAY_WORDS))
    return any(_OVERLAY.search(raw) for raw in named)


def _says_no(value: Any) -> bool:
    """Whether a value of JSON-LD is false, as publishers write it: `false`, "False", ["no"]."""
    first = value[0] if isinstance(value, list) and value else value
    return first is False or (isinstance(first, str) and first.strip().lower() in ("false", "no"))


def _asks(segments: Segments, keep: Bools) -> bool:
    kept = np.flatnonzero(keep).tolist()
    said = "\n".join([segments.text[i].lower() for i in kept])
    if not any(word in said for word in _CONSENT_WORDS):
        return False
    asking = [i for i in kept if _CONSENT.search(segments.text[i])]
    total = int(segments.words[keep].sum())
    return len(asking) > 1 and int(segments.words[asking].sum()) > _ASKED * total
