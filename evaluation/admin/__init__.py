"""The admin of what is measured and learned: topics, judgments, runs, and the judging page."""

from evaluation.admin import judgments, retraining, suggestions, topics
