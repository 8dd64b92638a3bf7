from tearsheet.page.columns import Columns

AVAILABLE: bool

def bound(path: str) -> bool: ...
def read(
    html: bytes, programs: bool
) -> tuple[Columns, list[tuple[str, str]], list[str]] | None: ...
