#!/usr/bin/env python3
"""An OpenID Connect provider on loopback: Django with django-oauth-toolkit, RS256, any loopback port as redirect.

Usage: django_provider.py --packages DIR [FOLDER]

Prints one line of JSON once it serves, and ends when its standard input closes or on SIGTERM.
DIR is where requirements.txt was installed; FOLDER keeps the database (without it, a temporary folder that is removed).
"""
import argparse
import atexit
import json
import os
import shutil
import signal
import socketserver
import sys
import tempfile
import threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

parser = argparse.ArgumentParser()
parser.add_argument("folder", nargs="?", help="where the database is kept")
parser.add_argument("--packages", help="folder given to pip install --target")
parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
parser.add_argument("--consent", action="store_true", help="ask the reader for consent")
parser.add_argument("--response-iss", action="store_true", help="send iss in the authorization response (RFC 9207)")
parser.add_argument("--code-seconds", type=int, default=60, help="how long an authorization code is good for")
parser.add_argument("--rotate-on", choices=["SIGUSR1"],
                    help="on this signal, sign with a new key, keep the old one published, and print a line")
options = parser.parse_args()
if options.packages:
    sys.path.insert(0, options.packages)

import django  # noqa: E402  (found only once the path is set)
from django.conf import settings  # noqa: E402
from jwcrypto.jwk import JWK  # noqa: E402


class Server(socketserver.ThreadingMixIn, WSGIServer):
    # A browser opens connections that it may never use: with one thread, such a one would stop all the others.
    daemon_threads = True


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass  # a line for each request could fill a pipe that the test never reads


def new_key():
    return JWK.generate(kty="RSA", size=2048).export_to_pem(private_key=True, password=None).decode()


def end_with_standard_input():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)  # so that a test process that dies takes its provider along


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
threading.Thread(target=end_with_standard_input, daemon=True).start()
folder = options.folder
if not folder:
    folder = tempfile.mkdtemp(prefix="django-provider-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
server = Server(("127.0.0.1", options.port), QuietHandler)  # bound first: the issuer names the port
issuer = f"http://127.0.0.1:{server.server_port}/o"

LOGIN_PAGE = """<!DOCTYPE html><title>Log in</title><form method="post">
{% csrf_token %}{{ form.as_p }}<input type="hidden" name="next" value="{{ next }}"><button>Log in</button></form>"""

settings.configure(
    SECRET_KEY=os.urandom(32).hex(),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(folder, "provider.sqlite3")}},
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # the default is slow on purpose
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "oauth2_provider"],
    # Tables made from the models as they are: replaying each migration would triple the time to start.
    MIGRATION_MODULES={"contenttypes": None, "auth": None, "sessions": None, "oauth2_provider": None},
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": {"loaders": [
        ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN_PAGE}),
        "django.template.loaders.app_directories.Loader",
    ]}}],
    STATIC_URL="/static/",  # the consent page names a style sheet; nothing serves it and nothing needs it
    LOGIN_URL="/login/",
    LOGGING={  # errors alone: a refusal is only a warning, and is what many a test asks for
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"errors": {"class": "logging.StreamHandler", "level": "ERROR"}},
        "root": {"handlers": ["errors"]},
    },
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": issuer,
        "OIDC_RSA_PRIVATE_KEY": new_key(),
        "OAUTH2_VALIDATOR_CLASS": f"{__name__}.ReaderClaims",
        "SCOPES": {"openid": "Who you are", "profile": "Your name", "email": "Your e-mail address"},
        "PKCE_REQUIRED": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,  # S256 alone, never plain
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": options.response_iss,
        "AUTHORIZATION_CODE_EXPIRE_SECONDS": options.code_seconds,
    },
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402  (these need Django set up)
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402
from oauth2_provider.settings import oauth2_settings  # noqa: E402

urlpatterns = [path("login/", LoginView.as_view()), path("o/", include("oauth2_provider.urls"))]


class ReaderClaims(OAuth2Validator):
    # The toolkit puts these into the ID token by the granted scopes; sub is the user's number in the database.
    def get_additional_claims(self):
        return {
            "name": lambda request: request.user.get_full_name(),
            "email": lambda request: request.user.email,
            "email_verified": lambda request: True,
        }


def fill_database():
    call_command("migrate", run_syncdb=True, verbosity=0)
    for name, first, last in [("reader", "Rita", "Reader"), ("other", "Otto", "Other")]:
        user, _ = User.objects.get_or_create(username=name, email=f"{name}@example.org", first_name=first, last_name=last)
        user.set_password("open sesame please")
        user.save()
    Application.objects.update_or_create(client_id="matinee", defaults={
        "name": "Matinee",
        "client_type": Application.CLIENT_PUBLIC,
        "client_secret": "",
        "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
        # Without a port: the toolkit lets a loopback address carry any (RFC 8252, section 7.3).
        "redirect_uris": "http://127.0.0.1/callback",
        "algorithm": Application.RS256_ALGORITHM,
        "skip_authorization": not options.consent,
    })


def rotate(*_):
    oauth2_settings.OIDC_RSA_PRIVATE_KEYS_INACTIVE = [oauth2_settings.OIDC_RSA_PRIVATE_KEY]
    oauth2_settings.OIDC_RSA_PRIVATE_KEY = new_key()
    print(json.dumps({"rotated": True}), flush=True)


fill_database()
if options.rotate_on:
    signal.signal(signal.Signals[options.rotate_on], rotate)
server.set_app(get_wsgi_application())
print(json.dumps({"issuer": issuer, "clientID": "matinee"}), flush=True)
server.serve_forever()
