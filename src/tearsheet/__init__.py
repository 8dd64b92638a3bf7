"""Tearsheet clips the article out of any web page and sets it again as a clean document.

import tearsheet
article = tearsheet.extract(html, url="https://…")
print(article.title, article.text)
"""

from tearsheet.clip import clip, extract
from tearsheet.errors import TearsheetError
from tearsheet.types import Article, Options

__version__ = "0.1.0"
__all__ = ["Article", "Options", "TearsheetError", "__version__", "clip", "extract"]
