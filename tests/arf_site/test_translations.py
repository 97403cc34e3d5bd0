"""The Spanish catalogue is complete, without doubtful entries, and compiled as committed."""

import shutil
import subprocess
from gettext import GNUTranslations
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.utils import translation

from arf_site import labels
from retrieval.models import SearchLog
from rules.models import DomainThreshold

ROOT = Path(settings.BASE_DIR)
SPANISH = ROOT / "templates/locale/es/LC_MESSAGES/django.po"
# What is extracted; a part of the project joins by its pattern.
SOURCES = (
    *("templates/*.html", "templates/retrieval/**/*.*", "templates/admin/**/*.*", "templates/evaluation/*.html"),
    *("retrieval/**/*.py", "rules/**/*.py", "evaluation/**/*.py", "arf_site/**/*.py"),
)


def compiled(catalogue: Path) -> dict:
    """What gettext would find: neither empty nor fuzzy entries."""
    with catalogue.open("rb") as file:
        found = GNUTranslations(file)._catalog
    return {key: words for key, words in found.items() if key}


def compile_to(target: Path, source: Path) -> Path:
    subprocess.run(["msgfmt", "--check-format", "-o", target, source], check=True)
    return target


@pytest.fixture(scope="module")
def extracted(tmp_path_factory) -> dict:
    """Every message of the sources as they are now, its own words for its translation."""
    folder = tmp_path_factory.mktemp("sources")
    for path in {path for pattern in SOURCES for path in ROOT.glob(pattern) if path.is_file()}:
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    catalogue = folder / "templates/locale/es/LC_MESSAGES/django.po"
    catalogue.parent.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(settings, "LOCALE_PATHS", [folder / "templates/locale"])
        call_command("makemessages", locale=["es"], verbosity=0)
    english = folder / "english.po"
    subprocess.run(["msgen", "-o", english, catalogue], check=True)
    unfuzzy = folder / "unfuzzy.po"
    subprocess.run(["msgattrib", "--clear-fuzzy", "-o", unfuzzy, english], check=True)
    return compiled(compile_to(folder / "english.mo", unfuzzy))


@pytest.fixture(scope="module")
def spanish(tmp_path_factory) -> dict:
    return compiled(compile_to(tmp_path_factory.mktemp("spanish") / "django.mo", SPANISH))


def test_every_message_is_translated(extracted, spanish):
    assert len(extracted) > 150
    assert not {key for key in extracted if key not in spanish}


def test_the_admin_names_models_and_fields_in_spanish(spanish):
    """A new field's name joins the catalogue with `msgctxt "label"` (arf_site/labels.py)."""
    models = [model._meta for model in apps.get_models() if model._meta.app_label in labels.OURS]
    with translation.override(None):
        names = {str(meta.verbose_name_plural) for meta in models}
        names |= {str(field.verbose_name) for meta in models for field in meta.local_fields}
    assert not {name for name in names if not {name, f"{labels.CONTEXT}\x04{name}"} & set(spanish)}
    with translation.override("es"):
        fields = {str(field.verbose_name) for meta in models for field in meta.local_fields}
        assert not {"use", "scope", "term", "always searched", "within", "embedded by"} & fields
        assert SearchLog._meta.get_field("created_at").verbose_name == "creado el"
        assert DomainThreshold._meta.verbose_name_plural == "umbrales de los dominios"


def test_no_entry_is_fuzzy_or_empty_or_left_over():
    doubtful = ("--only-fuzzy", "--untranslated", "--only-obsolete")
    found = [
        subprocess.run(["msgattrib", option, SPANISH], check=True, capture_output=True) for option in doubtful
    ]
    assert [result.stdout for result in found] == [b"", b"", b""]


def test_the_committed_compilation_is_that_of_the_catalogue(spanish):
    assert compiled(SPANISH.with_suffix(".mo")) == spanish


def test_placeholders_and_endings_are_kept(spanish):
    for key, words in spanish.items():
        source = key[0] if isinstance(key, tuple) else key
        assert source.endswith(".") == words.endswith("."), source
        assert source.count("%(") == words.count("%(") or isinstance(key, tuple), source


@pytest.mark.parametrize(("language", "words"), [("en", "St. Alban protocols"), ("es", "Protocolos de St. Alban")])
def test_words_of_a_sites_own_take_the_place_of_ours_in_english_too(tmp_path, monkeypatch, language, words):
    source = tmp_path / language / "LC_MESSAGES/django.po"
    source.parent.mkdir(parents=True)
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    source.write_text(f'{head}\nmsgid "Law search"\nmsgstr "{words}"\n')
    compile_to(source.with_suffix(".mo"), source)
    assert settings.LOCALE_PATHS[0] == Path(settings.VAR_DIR) / "locale"
    monkeypatch.setattr(settings, "LOCALE_PATHS", [tmp_path, *settings.LOCALE_PATHS[1:]])
    monkeypatch.setattr(translation.trans_real, "_translations", {})  # what was read before
    with translation.override(language):
        told = [translation.gettext(one) for one in ("Law search", "Nothing yet: no law has been loaded.")]
    assert told[0] == words and told[1].startswith({"en": "Nothing yet", "es": "Todavía nada"}[language])
