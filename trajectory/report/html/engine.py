"""The template engine, which is an extra of the package."""

from trajectory.errors import ConfigurationError

try:
    from jinja2 import Environment, StrictUndefined, Template
    from markupsafe import Markup, escape
except ImportError:
    raise ConfigurationError("an HTML report needs the package jinja2: pip install 'pytest-trajectory[html]'") from None

__all__ = ["Environment", "Markup", "StrictUndefined", "Template", "escape"]
