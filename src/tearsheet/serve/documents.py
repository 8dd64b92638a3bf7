"""Documents as responses. Content from strangers never runs in our origin."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

from starlette.responses import Response

from tearsheet.serve.job_runner import ClipDocument

_POLICY: Final = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
"""No scripts, no network, no cookies."""


def document_response(made: ClipDocument, form: str, *, as_file: bool = False) -> Response:
    """A document, to be shown or to be saved under its title."""
    words = "-".join(re.findall(r"\w+", made.title.casefold()))[:60].strip("-") or "article"
    plain = words.encode("ascii", "ignore").decode().strip("-") or "article"
    kind = "attachment" if as_file else "inline"
    headers = {
        "Content-Security-Policy": _POLICY,
        "Content-Disposition": f'{kind}; filename="{plain}.{form}"; '
        f"filename*=UTF-8''{quote(words)}.{form}",
    }
    return Response(made.body, media_type=made.media_type, headers=headers)
