"""Configuration. The defaults need nothing but the Python packages. Variables named VERTEX_… change them.

docs/configuration.md lists the variables.
"""

from pathlib import Path
from typing import Any

import dj_database_url
import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured

from vertex import environment as env

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
# A checkout keeps its data in var/. The package may be installed where nobody can write, so its data is where the user's data is.
IS_CHECKOUT = (BASE_DIR / "manage.py").exists()
START_COMMAND = "make run" if IS_CHECKOUT else "vertex serve"  # what messages name: an installed package has no Makefile
FILES_DIR = BASE_DIR if IS_CHECKOUT else BASE_DIR / "vertex_files"
VAR_DIR = env.path("VAR_DIR", BASE_DIR / "var" if IS_CHECKOUT else Path.home() / ".local" / "share" / "vertex")
VAR_DIR.mkdir(parents=True, exist_ok=True)

PORT = env.integer("PORT", 8000, least=1)
BIND = env.text("BIND", "127.0.0.1")
DEMO_PORT = env.integer("DEMO_PORT", 8100, least=1)

DEBUG = env.boolean("DEBUG", False)
SECRET_KEY = env.secret("SECRET_KEY", keep_in=VAR_DIR / "secret_key")
ALLOWED_HOSTS = env.listed("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.listed("CSRF_TRUSTED_ORIGINS", [])
HTTPS = env.boolean("HTTPS", False)
if HTTPS:
    env.refuse_development_values(debug=DEBUG, secret_key=SECRET_KEY, allowed_hosts=ALLOWED_HOSTS)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_SSL_REDIRECT = HTTPS
# Browsers that came once use HTTPS for a year, even if a link says http. Other hosts of the same domain are not affected.
SECURE_HSTS_SECONDS = env.integer("HSTS_S", 31_536_000) if HTTPS else 0
# Other hosts of the domain belong to somebody else, so their visitors are not bound to HTTPS, and no browser's list is asked to hold ours.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "extraction",
    "annotations",
]

MIDDLEWARE = [
    # First, so that refusals of the others and static files get these headers, too.
    "extraction.views.policy.SecurityHeadersMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    # Before anything looks at an address or a cookie.
    "extraction.views.policy.NulMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Before the check against forged requests, which reads the whole body. Tokens come first, since they say who uploads.
    "extraction.api.middleware.ApiMiddleware",
    # After tokens, since programs read English.
    "extraction.views.reader.ReaderMiddleware",
    "extraction.views.policy.ActorMiddleware",
    "extraction.views.policy.UploadMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "extraction.views.policy.SessionMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "extraction.views.policy.RaceMiddleware",
]

ROOT_URLCONF = "vertex.urls"
WSGI_APPLICATION = "vertex.wsgi.application"
ASGI_APPLICATION = "vertex.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FILES_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "extraction.views.context.shell",
            ],
        },
    },
]


def _database() -> dict[str, Any]:
    url = env.text("DATABASE_URL")
    if url:
        return dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": VAR_DIR / "vertex.sqlite3",
        # Without IMMEDIATE, a transaction that reads first and writes later fails at once with "database is locked" if another process
        # has written in between. The time-out does not apply to that upgrade of the lock.
        "OPTIONS": {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;",
        },
        # The processes of a test run must not share one in-memory database.
        "TEST": {"NAME": VAR_DIR / "test.sqlite3"},
    }


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def _page_storage() -> dict[str, Any]:
    bucket = env.text("STORAGE_BUCKET")
    if not bucket:
        return {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": env.path("STORAGE_DIR", VAR_DIR / "storage"), "base_url": None},
        }
    options: dict[str, Any] = {"bucket_name": bucket, "default_acl": None, "querystring_auth": True, "file_overwrite": True}
    for option, name in {
        "endpoint_url": "STORAGE_ENDPOINT_URL",
        "access_key": "STORAGE_ACCESS_KEY",
        "secret_key": "STORAGE_SECRET_KEY",
        "region_name": "STORAGE_REGION",
        "location": "STORAGE_PREFIX",
    }.items():
        if env.text(name):
            options[option] = env.text(name)
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


STORAGES = {
    "default": _page_storage(),
    "staticfiles": {"BACKEND": "vertex.static_storage.ModuleStorage"},
}
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # otherwise whitenoise warns at every start
STATICFILES_DIRS = [FILES_DIR / "static"]
# If no files were collected, those in static/ are served directly, so no build step is needed.
WHITENOISE_USE_FINDERS = True
WHITENOISE_MANIFEST_STRICT = False
if not (STATIC_ROOT / "staticfiles.json").exists():
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}

# The address of the demo site that is served beside the dashboard; the first steps name it.
VERTEX_DEMO_SITE = env.text("DEMO_SITE")

# The documentation: the site that `make docs` builds, and the texts that it is built from. The dashboard serves it under /help/.
VERTEX_HELP_DIR = BASE_DIR / "build" / "help" if IS_CHECKOUT else FILES_DIR / "help"
VERTEX_DOCUMENTS_DIR = FILES_DIR / "docs"

# The dashboard must not import the app of the workbench, so it links to it by the name of this route.
VERTEX_WORKBENCH_ROUTE = "workbench"

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Sign-in by a provider (OpenID Connect); docs/people.md. Without an issuer, there is none.
VERTEX_OIDC_ISSUER = env.text("OIDC_ISSUER")
VERTEX_OIDC_CLIENT_ID = env.text("OIDC_CLIENT_ID")
VERTEX_OIDC_CLIENT_SECRET = env.text("OIDC_CLIENT_SECRET")
VERTEX_OIDC_NAME = env.text("OIDC_NAME", "single sign-on")
VERTEX_OIDC_NEW_PEOPLE = env.text("OIDC_NEW_PEOPLE")
VERTEX_OIDC_TEAM = env.text("OIDC_TEAM")
if VERTEX_OIDC_NEW_PEOPLE not in ("", "viewer", "editor", "operator"):
    raise ImproperlyConfigured("VERTEX_OIDC_NEW_PEOPLE is viewer, editor or operator, or empty if nobody gets an account by themselves.")

# A link to a new password, for people who forgot theirs. Without a mail server, the page says whom to ask.
PASSWORD_RESET_TIMEOUT = 4 * 3600
EMAIL_HOST = env.text("MAIL_HOST")
EMAIL_PORT = env.integer("MAIL_PORT", 587, least=1)
EMAIL_HOST_USER = env.text("MAIL_USER")
EMAIL_HOST_PASSWORD = env.text("MAIL_PASSWORD")
EMAIL_USE_TLS = EMAIL_PORT == 587 and env.boolean("MAIL_TLS", True)
EMAIL_USE_SSL = EMAIL_PORT == 465
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.text("MAIL_FROM", "vertex@localhost")

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.text("TIME_ZONE", "UTC")
USE_TZ = True
USE_I18N = True
# How to add a language: docs/translating.md
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("fr", "Français")]
LOCALE_PATHS = [FILES_DIR / "locale"]

# Uploads are written to disk as they arrive and never kept in memory.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # Failed sign-ins, in files because all web processes must see them.
    "sign_ins": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR_DIR / "sign_ins",
        "OPTIONS": {"MAX_ENTRIES": 5_000},
    },
    # How many requests each token has made, in files for the same reason.
    "api_limits": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR_DIR / "api_limits",
        "OPTIONS": {"MAX_ENTRIES": 5_000},
    },
}

CELERY_BROKER_URL = env.text("BROKER_URL", "filesystem://localhost")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# A busy worker does not answer its broker. Without heartbeats, the broker does not take it for dead.
CELERY_BROKER_HEARTBEAT = 0
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "vertex.steady_beat:SteadyScheduler"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
# The sweep finds runs whose worker died or whose message was lost, and sends them again.
# Operators edit when sites are checked. One tick a minute starts the checks that are due; a missed tick only delays them.
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "extraction.tasks.sweep", "schedule": 10.0, "options": {"expires": 10.0}},
    "tick": {"task": "extraction.tasks.tick", "schedule": 60.0, "options": {"expires": 60.0}},
    "tidy": {"task": "extraction.tasks.tidy", "schedule": 86400.0, "options": {"expires": 3600.0}},
}
if CELERY_BROKER_URL.startswith("filesystem:"):
    _queue = VAR_DIR / "queue"
    for _folder in ("messages", "control"):
        (_queue / _folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_queue / "messages"),
        "data_folder_out": str(_queue / "messages"),
        "control_folder": str(_queue / "control"),
        # By default the transport polls once a second. That allows about ten messages a second, and a click may wait for a second.
        "polling_interval": 0.05,
    }

LOG_FORMAT = env.text("LOG_FORMAT", "line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured("VERTEX_LOG_FORMAT is line or json.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "vertex.log.Lines"}, "json": {"()": "vertex.log.JsonLines"}},
    "filters": {
        "refusals": {"()": "vertex.log.Refusals"},
        "tokens": {"()": "vertex.log.Tokens"},
        "work": {"()": "extraction.services.core.log_context.Work"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["refusals", "tokens", "work"]}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    # These loggers write the addresses of alert channels, which contain passwords.
    "loggers": {"apprise": {"level": "CRITICAL", "propagate": False}, "urllib3": {"level": "INFO"}, "paramiko": {"level": "CRITICAL"}},
}

# Limits of an import. They are checked while streaming, before anything is completely unpacked.
VERTEX_UPLOAD_MAX_BYTES = env.integer("UPLOAD_MAX_BYTES", 4 * 1024**3, least=1)
VERTEX_IMPORT_MAX_PAGES = env.integer("IMPORT_MAX_PAGES", 1_000_000, least=1)
VERTEX_PAGE_MAX_BYTES = env.integer("PAGE_MAX_BYTES", 32 * 1024**2, least=1)
VERTEX_IMPORT_MAX_BYTES = env.integer("IMPORT_MAX_BYTES", 64 * 1024**3, least=1)
VERTEX_IMPORT_MAX_EXPANSION = env.integer("IMPORT_MAX_EXPANSION", 200, least=1)

# How much one site, and all sites of one team, may hold: pages, and bytes of their kept contents before compression. 0: no limit.
VERTEX_SITE_MAX_PAGES = env.integer("SITE_MAX_PAGES", 0, least=0)
VERTEX_SITE_MAX_BYTES = env.integer("SITE_MAX_BYTES", 0, least=0)
VERTEX_TEAM_MAX_PAGES = env.integer("TEAM_MAX_PAGES", 0, least=0)
VERTEX_TEAM_MAX_BYTES = env.integer("TEAM_MAX_BYTES", 0, least=0)

# How many requests a token may make in a minute.
VERTEX_API_REQUESTS_PER_MINUTE = env.integer("API_REQUESTS_PER_MINUTE", 600, least=1)

# How long the changes of records are kept, and how many of each template.
VERTEX_CHANGES_MAX_DAYS = env.integer("CHANGES_MAX_DAYS", 730, least=1)
VERTEX_CHANGES_MAX_COUNT = env.integer("CHANGES_MAX_COUNT", 1_000_000, least=1)

# How long the audit log is kept.
VERTEX_AUDIT_KEEP_DAYS = env.integer("AUDIT_KEEP_DAYS", 730, least=1)

# Deliveries. Targets of the kind "folder", and SQLite files, must be below one of these folders.
VERTEX_DELIVERY_DIRS = env.listed("DELIVERY_DIRS", [str(VAR_DIR / "deliveries")])
VERTEX_DELIVERY_PRIVATE_HOSTS = env.listed("DELIVERY_PRIVATE_HOSTS", [])
# What fsspec may be used for. Vertex cannot judge the addresses that its drivers connect to.
VERTEX_DELIVERY_PROTOCOLS = env.listed("DELIVERY_PROTOCOLS", [])
# How many hours the file of a download is kept, so that a download that broke off can go on.
VERTEX_DOWNLOADS_KEEP_HOURS = env.integer("DOWNLOADS_KEEP_HOURS", 48, least=1)

# Fetching. These settings apply to all sites; the settings of a single site are in the database.
# How long a check waits before it fetches pages a second time to confirm a breakage.
VERTEX_CONFIRM_AFTER_S = env.integer("CONFIRM_AFTER_S", 30, least=0)

# The address of the dashboard, with which links in alerts begin.
VERTEX_PUBLIC_URL = env.text("PUBLIC_URL", f"http://localhost:{PORT}").rstrip("/")

VERTEX_CRAWL_CONTACT = env.text("CRAWL_CONTACT")
VERTEX_CRAWL_PRIVATE_HOSTS = env.listed("CRAWL_PRIVATE_HOSTS", [])
VERTEX_CRAWL_PROXY = env.text("CRAWL_PROXY")
VERTEX_CRAWL_TIMEOUT_S = env.integer("CRAWL_TIMEOUT_S", 60, least=1)
VERTEX_CRAWL_MAX_PAGES = env.integer("CRAWL_MAX_PAGES", 1_000_000, least=1)

# The memory of each web process for the parsed pages of the workbench. Pages are dropped when it is full.
VERTEX_WORKSPACE_MAX_BYTES = env.integer("WORKSPACE_MAX_BYTES", 1_500_000_000, least=1)

# Errors are reported to Sentry if it has an address.
if SENTRY_DSN := env.text("SENTRY_DSN"):
    from vertex import error_reports

    error_reports.start(SENTRY_DSN, env.text("SENTRY_ENVIRONMENT", "production"))
