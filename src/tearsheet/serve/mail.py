"""Sends documents by mail, in the way that e-readers accept: one message with the file attached."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from typing import Final
from urllib.parse import unquote, urlsplit

from tearsheet.serve.problems import Problem
from tearsheet.serve.settings import ServiceSettings

_PATIENCE: Final = 30.0  # seconds
_HERE: Final = ("localhost", "127.0.0.1", "::1")
_PORTS: Final = {"smtp": 587, "smtps": 465}


def send_document(
    settings: ServiceSettings, to: str, title: str, body: bytes, media_type: str, name: str
) -> None:
    """Sends a file to an address; raises if the mail server refuses it."""
    if not settings.smtp:
        raise Problem("mail", "this service sends no mail: start it with TEARSHEET_SMTP set")
    where = urlsplit(settings.smtp)
    message = EmailMessage()
    message["From"] = settings.mail_from or unquote(where.username or "") or "tearsheet@localhost"
    message["To"] = to
    message["Subject"] = " ".join(title.split())[:200] or "A clip"
    message.set_content(f"{title}\n\nClipped by Tearsheet.")
    kind, _, subtype = media_type.partition(";")[0].partition("/")
    message.add_attachment(body, maintype=kind, subtype=subtype, filename=name)
    try:
        _send(message, settings.smtp)
    except (OSError, smtplib.SMTPException) as error:
        raise Problem("mail", f"the mail server refused the mail: {_reason(error)}") from None


def _send(message: EmailMessage, address: str) -> None:
    """Delivers a message. It sends the password only to a server that proves its name, or on
    loopback."""
    where = urlsplit(address)
    host, port = where.hostname or "localhost", where.port or _PORTS.get(where.scheme, 587)
    secure, is_secret = ssl.create_default_context(), where.scheme == "smtps" or host in _HERE
    with (
        smtplib.SMTP_SSL(host, port, timeout=_PATIENCE, context=secure)
        if where.scheme == "smtps"
        else smtplib.SMTP(host, port, timeout=_PATIENCE)
    ) as server:
        server.ehlo_or_helo_if_needed()  # before it, no server has any extension
        if where.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=secure)
            is_secret = True
        if where.username:
            if not is_secret:
                raise smtplib.SMTPException("it has no encryption, so it did not get the password")
            server.login(unquote(where.username), unquote(where.password or ""))
        server.send_message(message)


def _reason(error: Exception) -> str:
    """What the mail server says; but not its name, which a failed check of it would quote."""
    if isinstance(error, ssl.SSLError):
        return f"no encryption ({error.reason or 'the connection ended'})"
    return str(error) or type(error).__name__
