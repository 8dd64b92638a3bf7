"""Rules for the pages of a site, from a folder or a store → an article that follows them.

rules   what a rule can say, and which rules a page has
toml    our own format
ftr     the format of ftr-site-config, which FiveFilters and wallabag share
xpath   the paths of that format, on a page
apply   rules and a page → the article
"""

from __future__ import annotations

from tearsheet.site_rules.apply import apply_rules

__all__ = ["apply_rules"]
