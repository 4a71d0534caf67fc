#!/usr/bin/env python3
"""Signs in with a real browser: headless Chromium, steered by its debugging protocol over pipes.

Usage: chromium.py URL [--user NAME] [--password TEXT]

Knows the form of Django's login page. Prints the text of the page that the app's listener answered. Unlike browser.py, this browser
opens connections that it may never use, asks for an icon, and obeys the headers of the app's page.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("--user", default="reader")
parser.add_argument("--password", default="open sesame please")
options = parser.parse_args()

profile = tempfile.mkdtemp(prefix="chromium-")
commands, answers = os.pipe(), os.pipe()


def descriptors():
    # Chromium reads commands from 3 and writes answers to 4.
    os.dup2(commands[0], 3)
    os.dup2(answers[1], 4)


browser = subprocess.Popen(
    ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
     f"--user-data-dir={profile}", "about:blank"],
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4), preexec_fn=descriptors)
incoming, number = b"", 0


def call(method, session=None, **parameters):
    global incoming, number
    number += 1
    message = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
    os.write(commands[1], json.dumps(message).encode() + b"\0")
    while True:
        while b"\0" not in incoming:
            incoming += os.read(answers[0], 65536)
        answer, incoming = incoming.split(b"\0", 1)
        answer = json.loads(answer)
        if answer.get("id") == number:
            return answer.get("result", {})


def evaluate(script):
    return call("Runtime.evaluate", session, expression=script, returnByValue=True).get("result", {}).get("value")


def until(script):
    deadline = time.monotonic() + 60
    while not evaluate(script):
        if time.monotonic() > deadline:
            sys.exit(f"the page stays at {evaluate('location.href')}: {evaluate('document.body && document.body.innerText')}")
        time.sleep(0.1)


try:
    target = call("Target.createTarget", url="about:blank")["targetId"]
    session = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    call("Page.navigate", session, url=options.url)
    until("document.readyState == 'complete' && !!document.querySelector('input[name=username]')")
    fill = "(name, value) => { document.querySelector(`input[name=${name}]`).value = value }"
    for name, value in (("username", options.user), ("password", options.password)):
        evaluate(f"({fill})({json.dumps(name)}, {json.dumps(value)})")
    evaluate("document.querySelector('input[name=password]').form.submit()")
    until("location.pathname == '/callback' && document.readyState == 'complete' && !!document.querySelector('h1')")
    print(evaluate("document.body.innerText"))
    print(evaluate("getComputedStyle(document.querySelector('h1')).fontSize"))
finally:
    browser.terminate()
    browser.wait()
    shutil.rmtree(profile, ignore_errors=True)
