"""Reads USLM, the XML in which the House publishes law."""
