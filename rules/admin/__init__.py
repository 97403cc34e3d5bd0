"""The admin of what curators decide: each module registers its own models."""

from rules.admin import aliases, rules, thresholds
