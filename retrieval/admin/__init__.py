"""The admin of the corpus, of who may see it, of jobs, of language models and of the search log."""

from retrieval.admin import access, corpus, llm, log, operations, uploading
