"""A run as one HTML page that needs nothing but itself. Needs the extra ``html`` (jinja2)."""

from trajectory.report.html.page import html_report

__all__ = ["html_report"]
