"""The routes of people: users with their tokens, and settings that change while the service
runs."""

from __future__ import annotations

import secrets
from typing import Any

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse, Response

from tearsheet.serve import responses
from tearsheet.serve.problems import Problem
from tearsheet.serve.requests import ChangedSettings, NewUser
from tearsheet.serve.routing import PROBLEMS, TheService, TheVisitor, check_admin

routes = APIRouter(responses=PROBLEMS, tags=["people"])
_ADMIN = [Depends(check_admin)]


@routes.get("/v1/users", response_model=responses.UserList, dependencies=_ADMIN)
def list_users(service: TheService) -> Response:
    """The users of this service, besides whoever has its own token."""
    return JSONResponse({"users": [user._asdict() for user in service.store.users()]})


@routes.post("/v1/users", status_code=201, response_model=responses.NewToken, dependencies=_ADMIN)
def add_user(wish: NewUser, service: TheService) -> Response:
    """Adds a user, or gives one a new token. It is shown once."""
    token = secrets.token_urlsafe(24)
    service.store.add_user(wish.name, token, admin=wish.admin)
    return JSONResponse({"name": wish.name, "token": token}, 201)


@routes.delete("/v1/users/{user}", status_code=204, dependencies=_ADMIN)
def remove_user(user: str, service: TheService) -> Response:
    """Removes a user with all clips, rules and corrections."""
    if not service.store.remove_user(user):
        raise Problem("not-found", "there is no such user")
    return Response(status_code=204)


@routes.get("/v1/settings", response_model=responses.SettingsResponse)
def read_settings(service: TheService, asking: TheVisitor) -> Response:
    """The settings of the service, and of the visitor."""
    found: dict[str, Any] = {
        "user": asking.name,
        "admin": asking.is_admin,
        "keep_days": service.keep_days,
        "mail_to": service.setting(f"mail_to {asking.name}", ""),
        "can_mail": bool(service.settings.smtp),
    }
    return JSONResponse(found)


@routes.patch("/v1/settings", response_model=responses.SettingsResponse)
def change_settings(wish: ChangedSettings, service: TheService, asking: TheVisitor) -> Response:
    """Changes the given settings."""
    if "keep_days" in wish.model_fields_set:
        check_admin(asking)
        service.store.change_settings({"keep_days": wish.keep_days})
        service.store.keep_for(service.keep_days)
    if "mail_to" in wish.model_fields_set:
        service.store.change_settings({f"mail_to {asking.name}": wish.mail_to or None})
    return read_settings(service, asking)
