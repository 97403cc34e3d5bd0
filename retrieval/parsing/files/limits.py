"""How much of a file is read. Each is far above what real documents need and far below what hurts."""

from retrieval.errors import gettext_noop

MAX_BYTES = 50 * 2**20  # of the file; a title of the Code in PDF has 20 MB
MAX_PAGES = 2_000
MAX_CHARACTERS = 10_000_000  # of text: five times the Bible
MAX_SECTIONS = 20_000  # which are staged, embedded and published as one document
MAX_UNPACKED = 200 * 2**20  # bytes of what a DOCX holds, unpacked
MAX_SECONDS = 60  # for one file; a step of a job is given two minutes
MAX_MEMORY = 2**30  # bytes of address space
MAX_OUTPUT = 64 * 2**20  # bytes that the worker may write

TOO_LONG = gettext_noop("The file holds more than %(most)s characters.")
TOO_MANY_SECTIONS = gettext_noop("The file has %(sections)s sections; at most %(most)s are read: divide it.")
TOO_MANY_PAGES = gettext_noop("The file has %(pages)s pages; at most %(most)s are read.")
