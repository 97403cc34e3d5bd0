"""Readers of the files people have: PDF, DOCX, HTML, Markdown, plain text. Pure, without Django.

bytes -> lines or blocks -> `structure.outline` -> the tree that the USLM reader gives too. They are run by
`retrieval.parsing.files.worker`, in a process of its own that can be killed.
"""
