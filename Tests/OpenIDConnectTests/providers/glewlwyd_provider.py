#!/usr/bin/env python3
"""An OpenID Connect provider on loopback: Debian's glewlwyd, ES256, redirect addresses matched exactly.

Usage: glewlwyd_provider.py [FOLDER]

Prints one line of JSON once it serves, and ends when its standard input closes or on SIGTERM.
FOLDER, an empty one, keeps settings, database and log (without it, a temporary folder that is removed).
"""
import argparse
import atexit
import contextlib
import ctypes
import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
PASSWORD = "open sesame please"

parser = argparse.ArgumentParser()
parser.add_argument("folder", nargs="?", help="where settings, database and log are kept")
parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
parser.add_argument("--redirect-ports", type=int, nargs="+", default=[47115, 47116], help="the ports of the redirect addresses")
parser.add_argument("--response-iss", action="store_true", help="send iss in the authorization response (RFC 9207)")
parser.add_argument("--email-verified", action="store_true", help="add that claim: true for reader, false for other")
parser.add_argument("--code-seconds", type=int, default=600, help="how long an authorization code is good for")
options = parser.parse_args()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_with_standard_input():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)  # so that a test process that dies takes its provider along


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
threading.Thread(target=end_with_standard_input, daemon=True).start()
folder = options.folder
if not folder:
    folder = tempfile.mkdtemp(prefix="glewlwyd-provider-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
port = options.port or free_port()  # glewlwyd cannot say which port it took, and its settings name the port in addresses
base = f"http://127.0.0.1:{port}"
issuer = f"{base}/api/oidc"
database, settings, log, no_modules = (os.path.join(folder, f"glewlwyd.{name}") for name in ("db", "conf", "log", "none"))


def write_settings():
    os.makedirs(no_modules, exist_ok=True)
    with open(SCHEMA) as schema, contextlib.closing(sqlite3.connect(database)) as connection:
        connection.executescript("PRAGMA synchronous = OFF;\n" + schema.read())
    lines = {
        "port": port, "bind_address": "127.0.0.1", "external_url": base, "login_url": "login.html", "api_prefix": "api",
        "static_files_path": "/usr/share/glewlwyd/webapp/",
        "cookie_domain": "127.0.0.1", "cookie_secure": 0,  # a secure cookie would never come back over plain HTTP
        "log_mode": "file", "log_level": "WARNING", "log_file": log,
        "user_module_path": "/usr/lib/glewlwyd/user", "client_module_path": "/usr/lib/glewlwyd/client",
        "user_middleware_module_path": no_modules,  # Debian ships none, yet glewlwyd wants a folder to look in
        "user_auth_scheme_module_path": "/usr/lib/glewlwyd/scheme", "plugin_module_path": "/usr/lib/glewlwyd/plugin",
        "hash_algorithm": "SHA512",
    }
    with open(settings, "w") as file:
        file.writelines(f"{name} = {json.dumps(value)}\n" for name, value in lines.items())
        file.write(f'database = {{ type = "sqlite3"; path = {json.dumps(database)}; }};\n')
        file.write('static_files_mime_types = ({ extension = ".html"; mime_type = "text/html"; compress = 0; });\n')


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: glewlwyd ends even if this script is killed outright


def wait_until_it_answers(process):
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    sys.exit(f"glewlwyd did not start: {open(log).read() if os.path.exists(log) else 'no log'}")


class Admin:
    """glewlwyd's own administration interface, as its web page calls it."""

    def __init__(self):
        self.cookie = ""
        self.cookie = self.call("POST", "auth/", {"username": "admin", "password": "password"}).split(";")[0]

    def call(self, method, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        headers = {"Content-Type": "application/json", "Cookie": self.cookie}
        connection.request(method, f"/api/{path}", json.dumps(body), headers)
        with contextlib.closing(connection), connection.getresponse() as response:
            if response.status != 200:
                sys.exit(f"glewlwyd refused {method} {path}: {response.status} {response.read().decode()}")
            return response.getheader("Set-Cookie", "")


def openssl(*arguments, **more):
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True, **more).stdout


def new_key():
    """A key whose coordinates fill 32 bytes: glewlwyd publishes a smaller one too short, which one key in 128 would meet."""
    while True:
        key = openssl("ecparam", "-genkey", "-name", "prime256v1", "-noout")
        point = openssl("ec", "-pubout", "-outform", "DER", input=key)[-64:]
        if point[0] and point[32]:
            return {"key": key.decode(), "cert": openssl("ec", "-pubout", input=key).decode()}


def set_up():
    admin = Admin()
    for scope in ("profile", "email"):  # openid is there from the start
        admin.call("POST", "scope/", {"name": scope, "display_name": scope, "password_required": True, "scheme": {}})
    for name, full_name in [("reader", "Rita Reader"), ("other", "Otto Other")]:
        admin.call("POST", "user/", {
            "username": name, "name": full_name, "email": f"{name}@example.org", "password": PASSWORD,
            "scope": ["openid", "profile", "email", "g_profile"], "enabled": True,
        })
    admin.call("POST", "client/", {
        "client_id": "matinee", "name": "Matinee", "enabled": True, "confidential": False, "scope": [],
        "authorization_type": ["code", "refresh_token"], "token_endpoint_auth_method": ["none"],
        "redirect_uri": [f"http://127.0.0.1:{one}/callback" for one in options.redirect_ports],
    })
    # A boolean claim is one of two texts that a property of the user may hold; the address itself is such a property.
    verified = {"name": "email_verified", "user-property": "email", "type": "boolean", "mandatory": True, "scope": [],
                "boolean-value-true": "reader@example.org", "boolean-value-false": "other@example.org"}
    admin.call("POST", "mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "parameters": {
        "iss": issuer, "oauth-as-iss-id": options.response_iss,
        "jwt-type": "ecdsa", "jwt-key-size": "256", **new_key(), "jwks-show": True,
        "subject-type": "public", "allowed-scope": ["openid", "profile", "email"],
        "access-token-duration": 3600, "refresh-token-duration": 86400, "refresh-token-rolling": True,
        "code-duration": options.code_seconds, "auth-type-code-enabled": True, "auth-type-refresh-enabled": True,
        "auth-type-token-enabled": False, "auth-type-password-enabled": False, "auth-type-client-enabled": False,
        "pkce-allowed": True, "pkce-required": True, "pkce-method-plain-allowed": False,
        "name-claim": "on-demand", "name-claim-scope": ["profile"], "email-claim": "on-demand", "email-claim-scope": ["email"],
        "claims": [verified] if options.email_verified else [],
    }})


write_settings()
process = subprocess.Popen(["glewlwyd", f"--config-file={settings}"], preexec_fn=end_with_parent,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
try:
    wait_until_it_answers(process)
    set_up()
    print(json.dumps({"issuer": issuer, "clientID": "matinee", "ports": options.redirect_ports}), flush=True)
    sys.exit(f"glewlwyd ended by itself: {process.wait()}")
finally:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
    process.kill()
