"""What curators decide: aliases, the glossary, thresholds and rules, with what is found wrong with rules and how often
they are used. Every change of a decision is kept in history.
"""

from rules.models.aliases import Alias, AliasVector, NamedProvision
from rules.models.rules import Rule, RuleFinding, RuleUse, SearchDay, compiled
from rules.models.thresholds import DomainThreshold
from rules.models.words import LANGUAGES, STRATEGIES, STRATEGY_NAMES, GlossaryTerm, QuestionPhrase
