"""What curators decide: aliases, the glossary, thresholds and rules. Every change is kept in history."""

from rules.models.aliases import Alias, AliasVector
from rules.models.findings import RuleFinding
from rules.models.glossary import GlossaryTerm
from rules.models.rules import Rule, compiled
from rules.models.thresholds import DomainThreshold
from rules.models.usage import RuleUse, SearchDay

__all__ = [
    "Alias", "AliasVector", "DomainThreshold", "GlossaryTerm", "Rule", "RuleFinding", "RuleUse", "SearchDay",
    "compiled",
]  # fmt: skip
