"""Names the images of `Dockerfile` and `compose.yaml` by digest: `python scripts/pin_images.py`.

It asks their registry what each tag means today, so it needs the network. The digest is computed
from the answer; one that the registry only claims is not believed. An image that has a digest is
asked for again: its tag may mean a newer one.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from functools import cache
from pathlib import Path

FILES = ("Dockerfile", "compose.yaml")
_IMAGE = re.compile(r"^(FROM |\s+image: )([^\s@]+)(?:@sha256:[0-9a-f]{64})?", re.MULTILINE)
_KINDS = (
    "application/vnd.oci.image.index.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.v2+json"
)
_HERE = ("localhost", "127.0.0.1")
_SECONDS = 30


def main(folder: Path) -> int:
    """Writes the files again and prints what each image is."""
    for path in (folder / name for name in FILES):
        text = path.read_text("utf-8")
        path.write_text(pin_images(text), "utf-8")
        for name in sorted({found[2] for found in _IMAGE.finditer(text)}):
            print(f"{path.name}: {name}@{find_digest(name)}")
    return 0


def pin_images(text: str) -> str:
    """The text of a file with a digest behind each image."""
    return _IMAGE.sub(lambda found: f"{found[1]}{found[2]}@{find_digest(found[2])}", text)


@cache
def find_digest(image: str) -> str:
    """The digest that a tag means now."""
    registry, name, tag = _parse_name(image)
    scheme = "http" if registry.partition(":")[0] in _HERE else "https"
    address = f"{scheme}://{registry}/v2/{name}/manifests/{tag}"
    try:
        body = _get(address, {"Accept": _KINDS})
    except urllib.error.HTTPError as error:
        challenge = error.headers.get("WWW-Authenticate", "")
        error.close()
        if error.code != 401:
            raise
        body = _get(address, {"Accept": _KINDS, "Authorization": f"Bearer {_ask_token(challenge)}"})
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def _parse_name(image: str) -> tuple[str, str, str]:
    """Registry, name and tag.

    >>> _parse_name("postgres:17"), _parse_name("ghcr.io/a/b")
    (('registry-1.docker.io', 'library/postgres', '17'), ('ghcr.io', 'a/b', 'latest'))
    """
    first, slash, rest = image.partition("/")
    has_registry = slash and ("." in first or ":" in first or first == "localhost")
    registry, path = (first, rest) if has_registry else ("registry-1.docker.io", image)
    name, _, tag = path.partition(":")
    if not has_registry and "/" not in name:
        name = f"library/{name}"
    return registry, name, tag or "latest"


def _ask_token(challenge: str) -> str:
    """A token for reading, as the registry says where to get one."""
    given = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    query = urllib.parse.urlencode(
        {key: given[key] for key in ("service", "scope") if key in given}
    )
    token: str = json.loads(_get(f"{given['realm']}?{query}", {}))["token"]
    return token


def _get(address: str, headers: dict[str, str]) -> bytes:
    request = urllib.request.Request(address, headers=headers)
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
        found: bytes = answer.read()
    return found


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.parent))
