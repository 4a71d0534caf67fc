"""A mail server on loopback for tests: prints a line of JSON for its port, and one for each mail that it takes.

smtpd.py CERTIFICATE KEY [--starttls] [--user NAME --password PASSWORD] [--plain]
The process ends with its standard input.
"""
import argparse
import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

parser = argparse.ArgumentParser()
parser.add_argument("certificate")
parser.add_argument("key")
parser.add_argument("--starttls", action="store_true")
parser.add_argument("--plain", action="store_true")
parser.add_argument("--user")
parser.add_argument("--password")
options = parser.parse_args()


def tell(**fields):
    print(json.dumps(fields), flush=True)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("nobody@"):
            return "550 there is no such box"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        tell(
            sender=envelope.mail_from,
            recipients=envelope.rcpt_tos,
            message=envelope.content.decode(),
            encrypted=session.ssl is not None or not (options.starttls or options.plain),
            user=session.auth_data.login.decode() if session.auth_data else None,
        )
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    right = isinstance(data, LoginPassword) and data.login.decode() == options.user and data.password.decode() == options.password
    return AuthResult(success=right, handled=right, auth_data=data)


context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(options.certificate, options.key)
settings = {}
if options.starttls:
    settings.update(tls_context=context, require_starttls=True)
if options.user:
    settings.update(authenticator=authenticate, auth_required=True, auth_require_tls=options.starttls)


async def serve():
    loop = asyncio.get_running_loop()
    encryption = None if options.starttls or options.plain else context
    server = await loop.create_server(lambda: SMTP(Handler(), **settings), "127.0.0.1", 0, ssl=encryption)
    tell(port=server.sockets[0].getsockname()[1])
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(serve())
