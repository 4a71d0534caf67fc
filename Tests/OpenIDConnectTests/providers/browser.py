#!/usr/bin/env python3
"""Plays the reader's browser: opens an authorization URL, logs in, consents, and goes back to the app.

Usage: browser.py URL [--user NAME] [--password TEXT] [--deny] [--grant SCOPES] [--keep FILE]

Prints the status and the body that the app's listener answered. Ends with 1 when a provider showed a page that
leads no further (a refused request, a wrong password); what that page said goes to standard error.
"""
import argparse
import html.parser
import http.client
import http.cookiejar
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("url", help="the authorization URL that the app opened")
parser.add_argument("--user", default="reader")
parser.add_argument("--password", default="open sesame please")
parser.add_argument("--deny", action="store_true", help="refuse when asked for consent")
parser.add_argument("--grant", metavar="SCOPES", help="untick all but these, where the page lets a person choose (glewlwyd)")
parser.add_argument("--keep", metavar="FILE", help="write the address that leads back to the app instead of requesting it")
options = parser.parse_args()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # each step is looked at, since one of them is the app's


class Form(html.parser.HTMLParser):
    """The fields that a page's form would send, and the names of those that a person fills or presses."""

    def __init__(self, page):
        super().__init__()
        self.fields, self.names = {}, set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attribute = dict(attributes)
        if tag == "input" and attribute.get("name"):
            self.names.add(attribute["name"])
            if attribute.get("type") == "hidden":
                self.fields[attribute["name"]] = attribute.get("value") or ""


# Loopback is reached directly, whatever proxy the environment names.
opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}), NoRedirect, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def give_up(*what):
    sys.exit(" ".join(str(part) for part in what))


def fetch(url, data=None, method=None, **headers):
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try:
        response = opener.open(request, timeout=30)
    except urllib.error.HTTPError as answer:  # also a redirect, which is not followed here
        response = answer
    except (OSError, http.client.HTTPException) as problem:
        give_up(url, problem)
    with response:
        return response.status, response.headers, response.read().decode(errors="replace")


tried = set()


def fill_form(url, page):
    """Django's pages are plain forms: one with a password is the login, one that can be allowed is the consent."""
    form = Form(page)
    if "password" in form.names and "login" not in tried:
        tried.add("login")  # the same form once more means that the password was wrong
        form.fields.update(username=options.user, password=options.password)
    elif "allow" in form.names:
        if not options.deny:
            form.fields["allow"] = "Authorize"  # the Cancel button has no name, so it sends nothing
    else:
        give_up("The page leads no further:", url, page)
    return fetch(url, urllib.parse.urlencode(form.fields).encode(), Referer=url)


def call(url, method="GET", body=None):
    data = None if body is None else json.dumps(body).encode()
    status, _, answer = fetch(url, data, method, **{"Content-Type": "application/json"})
    if status != 200:
        give_up(method, url, "answered", status, answer)
    return json.loads(answer) if answer else None


def use_login_script(url):
    """glewlwyd's login page is a script: this makes the calls that it makes, and returns where it then goes."""
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    api = urllib.parse.urljoin(url, "api/auth/")
    client, scope = (urllib.parse.quote(query[name]) for name in ("client_id", "scope"))
    call(api, "POST", {"username": options.user, "password": options.password})
    if options.deny:
        give_up("glewlwyd's page has no way to refuse: a reader who does not want to closes it, and the app hears nothing")
    offered = [one["name"] for one in call(f"{api}grant/{client}/{scope}")["scope"]]
    granted = [name for name in offered if options.grant is None or name in options.grant.split()]
    call(f"{api}grant/{client}", "PUT", {"scope": " ".join(granted)})
    call(f"{api}scheme/?scope={scope}")
    return query["callback_url"] + "&g_continue"


def walk(url, back):
    """Follows the provider's pages until one leads back to the app, and returns that address."""
    answer = fetch(url)
    for _ in range(20):
        status, headers, page = answer
        if "Location" in headers:
            url = urllib.parse.urljoin(url, headers["Location"])
            if url.split("?")[0].split("#")[0] == back:
                return url
            answer = fetch(url)
        elif status == 200 and urllib.parse.urlsplit(url).path.endswith("/login.html"):
            url = use_login_script(url)
            answer = fetch(url)
        elif status == 200:
            answer = fill_form(url, page)
        else:
            give_up("The provider answered", status, page)
    give_up("Twenty pages did not lead back to the app; the last was", url)


redirect = urllib.parse.parse_qs(urllib.parse.urlsplit(options.url).query).get("redirect_uri", [""])[0]
final = walk(options.url, redirect)
if options.keep:
    with open(options.keep, "w") as file:
        file.write(final)
else:
    answer, _, body = fetch(final)
    print(answer)
    print(body)
