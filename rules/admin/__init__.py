"""The admin of what curators decide: each module registers its own models."""

from rules.admin import aliases, findings, glossary, rules, thresholds

__all__ = ["aliases", "findings", "glossary", "rules", "thresholds"]
