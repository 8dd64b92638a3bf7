"""Shared by the routes: the service, the visitor, and the description of problems."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from fastapi import Depends, Request

from tearsheet.serve import problems
from tearsheet.serve.credentials import USER, Visitor
from tearsheet.serve.problems import Problem
from tearsheet.serve.service import Service

_PROBLEM: Final = {
    "description": "What went wrong, by a code, and what to do about it.",
    "content": {
        problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemResponse"}},
    },
}
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": _PROBLEM, "5XX": _PROBLEM, 422: _PROBLEM,
}  # fmt: skip


async def _service(request: Request) -> Service:  # async: else FastAPI calls it in a thread
    found: Service = request.app.state.service
    return found


async def visitor(request: Request) -> Visitor:
    """The visitor whom the middleware found."""
    found: Visitor = request.scope[USER]
    return found


TheService: TypeAlias = Annotated[Service, Depends(_service)]
TheVisitor: TypeAlias = Annotated[Visitor, Depends(visitor)]


def check_owner(request: Request, service: TheService, asking: TheVisitor) -> None:
    """The clip, if it is the visitor's; otherwise it seems not to exist. A key has been checked
    already."""
    name = request.path_params.get("name")
    if name is not None and not asking.has_key and service.clip(name).owner != asking.name:
        raise Problem("not-found", "there is no such clip")


def check_admin(asking: TheVisitor) -> None:
    if not asking.is_admin:
        raise Problem("forbidden", "only an admin of this service may do that")
