"""The admin of the corpus, of who may see it, of jobs and of the search log."""

from retrieval.admin import access, corpus, log, operations

__all__ = ["access", "corpus", "log", "operations"]
