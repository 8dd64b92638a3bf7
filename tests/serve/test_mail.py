"""Mail goes out encrypted, to a server that proves its name; a password goes nowhere else."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tearsheet.serve.mail import send_document
from tearsheet.serve.problems import Problem
from tearsheet.serve.settings import ServiceSettings

CERTIFICATE = Path(__file__).parents[1] / "acquire/tls/a.test.pem"


class _MailServer(socketserver.ThreadingTCPServer):
    """Takes everything, encrypted if `context` is set, and remembers what it read."""

    daemon_threads = True
    context: ssl.SSLContext | None = None

    def __init__(self, host: str) -> None:
        self.clear, self.encrypted = list[bytes](), list[bytes]()
        super().__init__((host, 0), _Conversation)


class _Conversation(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with ExitStack() as opened:
            self.talk(opened)

    def talk(self, opened: ExitStack) -> None:
        server, line = self.server, self.request
        assert isinstance(server, _MailServer)
        seen, data = server.clear, False
        line.sendall(b"220 here\r\n")
        read = opened.enter_context(line.makefile("rb"))
        while text := read.readline():
            seen.append(text)
            word = text.split()[0].upper() if text.split() else b""
            if data:
                data = text != b".\r\n"
                if data:
                    continue
                line.sendall(b"250 taken\r\n")
            elif word == b"EHLO":
                more = b"250-STARTTLS\r\n" if server.context and seen is server.clear else b""
                line.sendall(b"250-here\r\n" + more + b"250 AUTH PLAIN\r\n")
            elif word == b"STARTTLS":
                assert server.context is not None
                line.sendall(b"220 go\r\n")
                try:
                    line = opened.enter_context(server.context.wrap_socket(line, server_side=True))
                except OSError:
                    return
                seen, read = server.encrypted, opened.enter_context(line.makefile("rb"))
            elif word == b"QUIT":
                line.sendall(b"221 bye\r\n")
                return
            else:
                data = word == b"DATA"
                answers = {b"DATA": b"354 go\r\n", b"AUTH": b"235 welcome\r\n"}
                line.sendall(answers.get(word, b"250 ok\r\n"))


@contextmanager
def mail_server(host: str = "127.0.0.1", *, encrypts: bool) -> Iterator[_MailServer]:
    with _MailServer(host) as server:
        if encrypts:
            server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            server.context.load_cert_chain(CERTIFICATE)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def send(server: _MailServer) -> None:
    host, port = server.server_address[:2]
    settings = ServiceSettings(smtp=f"smtp://me:secret@{host!s}:{port}")
    send_document(settings, "you@a.example", "Tides", b"PK", "application/epub+zip", "Tides.epub")


def test_a_server_that_offers_encryption_gets_the_password_by_it_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = ssl.create_default_context(cafile=str(CERTIFICATE))
    ours.check_hostname = False  # it is for a.test
    monkeypatch.setattr(ssl, "create_default_context", lambda: ours)
    with mail_server(encrypts=True) as server:
        send(server)
    assert not any(line.startswith((b"AUTH", b"MAIL")) for line in server.clear)
    assert [line.split()[0].upper() for line in server.clear] == [b"EHLO", b"STARTTLS"]
    assert any(line.startswith(b"AUTH") for line in server.encrypted)
    assert any(b"Subject: Tides" in line for line in server.encrypted)


def test_a_server_that_does_not_prove_its_name_gets_nothing() -> None:
    with mail_server(encrypts=True) as server, pytest.raises(Problem, match="CERTIFICATE_VERIFY"):
        send(server)
    assert not any(line.startswith((b"AUTH", b"MAIL")) for line in server.clear)
    assert server.encrypted == []


def test_a_password_is_not_sent_in_the_clear() -> None:
    """But to this machine, where nobody listens on the way."""
    with mail_server("127.0.0.2", encrypts=False) as server:
        with pytest.raises(Problem, match="no encryption"):
            send(server)
        assert not any(line.startswith((b"AUTH", b"MAIL")) for line in server.clear)
    with mail_server(encrypts=False) as server:
        send(server)
        assert any(line.startswith(b"AUTH") for line in server.clear)
