"""The routes of rules: list, preview and adopt them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body
from starlette.responses import JSONResponse, Response

from tearsheet import limits
from tearsheet.serve import responses
from tearsheet.serve.problems import Problem
from tearsheet.serve.requests import NewRule, RuleSwitch
from tearsheet.serve.routing import PROBLEMS, TheService, TheVisitor

_LARGEST = 2**62
routes = APIRouter(responses=PROBLEMS, tags=["rules"])


@routes.get("/v1/rules", response_model=responses.RuleList)
def list_rules(service: TheService, asking: TheVisitor, site: str | None = None) -> Response:
    """The rules of a site, or all rules: this is also how to export them."""
    found = service.store.rules(asking.name, site)
    return JSONResponse({"rules": [responses.describe_rule(rule) for rule in found]})


@routes.post("/v1/rules", status_code=201, response_model=responses.RuleList)
def add_rules(
    rules: Annotated[list[NewRule], Body(max_length=limits.RULES_PER_REQUEST)],
    service: TheService,
    asking: TheVisitor,
) -> Response:
    """Adds one or several rules in the shape of an export; one that exists is switched on.

    A rule names what other pages of the site share: a class, an id, a telling element, a role or a
    text. One that names a position is refused.
    """
    added = [service.add_rule(asking.name, rule) for rule in rules]
    return JSONResponse({"rules": [responses.describe_rule(rule) for rule in added]}, 201)


@routes.post("/v1/rules/preview", response_model=responses.RulePreview)
def preview_rule(rule: NewRule, service: TheService, asking: TheVisitor) -> Response:
    """The changes that a rule would make in the clips of its site, line by line."""
    return JSONResponse(service.preview_rule(asking.name, rule))


@routes.put("/v1/rules/{number}", status_code=204)
def switch_rule(number: int, wish: RuleSwitch, service: TheService, asking: TheVisitor) -> Response:
    """Switches a rule on or off."""
    if not service.store.switch_rule(min(number, _LARGEST), wish.state, asking.name):
        raise Problem("not-found", "there is no such rule")
    return Response(status_code=204)


@routes.delete("/v1/rules/{number}", status_code=204)
def remove_rule(number: int, service: TheService, asking: TheVisitor) -> Response:
    """Removes a rule. Its changes to clips stay until somebody takes them back there."""
    if not service.store.remove_rule(min(number, _LARGEST), asking.name):
        raise Problem("not-found", "there is no such rule")
    return Response(status_code=204)
