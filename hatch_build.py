"""Build hook of the wheel's metadata: the README with links that a package page can follow.

`[tool.hatch.metadata.hooks.custom]` in `pyproject.toml` has `address`: where the files of the repository are on the
web, such as `https://host/owner/mqoracle/blob/main/`. Links of the README to files become links to there, and the
project has its addresses. As long as the address is empty, such links keep their words only: a package page
has no files to link to.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\[([^\]\n]+)\]\((?![a-z]+:|#)([^)\s]+)\)")


def package_page(readme: str, address: str) -> str:
    """Return the README as a package page shows it."""
    return _LINK.sub(lambda link: f"[{link[1]}]({address}{link[2]})" if address else link[1], readme)


class PackagePage(MetadataHookInterface):
    """Gives the metadata its readme and, where the project has an address, its URLs."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the members of the metadata that `pyproject.toml` calls dynamic."""
        address = str(self.config.get("address", ""))
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": package_page(readme, address)}
        if address:
            pages = {"Documentation": "docs/audit.md", "Changelog": "CHANGELOG.md", "Source": "README.md"}
            metadata["urls"] = {name: address + path for name, path in pages.items()}
        else:
            metadata["urls"] = {}
