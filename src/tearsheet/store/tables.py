"""All tables as one store; each subject has a module of its own.

Both databases understand the SQL of these modules. `clock()` is the store's own, so that all who
share a store use the same clock.
"""

from __future__ import annotations

from tearsheet.store.accounts import AccountTable
from tearsheet.store.clips import ClipTable
from tearsheet.store.corrections import CorrectionTable
from tearsheet.store.documents import DocumentTable
from tearsheet.store.jobs import JobTable
from tearsheet.store.rules import RuleTable


class Store(ClipTable, JobTable, DocumentTable, CorrectionTable, RuleTable, AccountTable):
    """The whole store. Any thread may call its methods."""
