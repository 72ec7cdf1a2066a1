"""references: where a page sends its reader: by links, and by names of sections in quotes.

A section is named as "Out to a file, and in again": with a capital letter, outside of `code`. It is one of the page's
own; right behind a link, `[README.md](README.md), "Backup"`, one of the page that the link leads to.
"""

import re

LINK = re.compile(r"\]\(([^)#:]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`]*`", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r'(?:\]\((?P<page>[^)#:]+)\),\s+)?"(?P<title>[A-Z][^"]+)"')


def links_of(text):
    return LINK.findall(text)


def sections_of(text):
    """The link in front of each, or nothing; and the title."""
    # Code goes, but not its line breaks, nor what it separates.
    prose = CODE.sub("`", text)
    return [(found["page"] or "", " ".join(found["title"].split())) for found in SECTION.finditer(prose)]


def has_section(text, title):
    """Whether a page has this heading; of another file, whether it has the words."""
    return re.search(rf"^(#+ {re.escape(title)}|(//|#) {re.escape(title)}\b.*)$", text, re.MULTILINE) is not None


def dead_links(page, root):
    """A sentence for each link that leads nowhere."""
    for link in links_of(page.read_text()):
        if not (page.parent / link).exists():
            yield f"{page.relative_to(root)} leads to {link}, which is not there"


def dead_sections(page, root):
    """A sentence for each section that is not where the page says; a link that leads nowhere is told by itself."""
    for link, title in sections_of(page.read_text()):
        there = page.parent / link if link else page
        if there.is_file() and not has_section(there.read_text(), title):
            yield f'{page.relative_to(root)} names "{title}", and {there.name} has no such section'
