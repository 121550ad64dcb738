"""What mkdocs does not do by itself: links to files outside docs, and the order of the sections."""

import posixpath
import re

ORDER = ["Tutorial", "How to", "Reference", "Explanation", "Results"]
LINK = re.compile(r"\]\(([^)\s:#]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, **_):
    """Turns a link that leaves docs into one to the repository. A test of internal/test/docs checks both."""

    def repository(match):
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), match[1]))
        if path.startswith("docs/"):
            return match[0]
        return f"]({config.repo_url}/blob/main/{path}{match[2] or ''})"

    return LINK.sub(repository, markdown)


def on_nav(nav, **_):
    """Puts the sections into the order of docs/index.md."""
    nav.items.sort(key=lambda item: ORDER.index(item.title) + 1 if item.title in ORDER else 0)
