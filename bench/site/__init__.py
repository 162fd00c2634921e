"""The documentation site: `mkdocs.yml` names the hooks of this package, `tox -e site` builds it into `build/site`.

The site has the pages of `docs/`, a page for each rule of the catalogue (`rule_page.py`, from what `standing.py`
gathers) and the reference of the public modules (`reference.py`). `hooks.py` passes all of them to MkDocs; `links.py`
turns links of the files into links of the site. The site is not committed, and the build reads only the checkout.
"""
