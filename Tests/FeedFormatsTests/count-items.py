"""Counts the items of feeds with independent readers: one JSON line a file.

XML is read by feedparser, lists of feeds (OPML) by their outlines, JSON by Python's own module.
"""

import email.utils
import json
import sys
import xml.etree.ElementTree

import feedparser


def xml_feed(data):
    feed = feedparser.parse(data)
    return {
        "version": feed.get("version", ""),
        "titles": [entry.get("title", "") for entry in feed.entries],
        "links": [entry.get("link", "") for entry in feed.entries],
        "ids": [entry.get("id", "") for entry in feed.entries],
        "times": [list((entry.get("published_parsed") or entry.get("updated_parsed") or ()))[:6] for entry in feed.entries],
    }


def outlines(root):
    found = [{name.lower(): value for name, value in outline.items()} for outline in root.iter("outline")]
    return {
        "version": "opml",
        "titles": [" ".join((outline.get("title") or outline.get("text") or "").split()) for outline in found],
        "links": [outline.get("xmlurl", "") for outline in found],
        "ids": ["" for _ in found],
        "times": [[] for _ in found],
    }


def json_feed(document):
    if "rss" in document:
        items = document["rss"]["channel"]["item"]
        return {
            "version": "rss-in-json",
            "titles": [item.get("title", "") for item in items],
            "links": [item.get("link", "") for item in items],
            "ids": [guid["#value"] if isinstance(guid, dict) else guid for guid in (item.get("guid", "") for item in items)],
            "times": [list(email.utils.parsedate(item["pubDate"]))[:6] for item in items],
        }
    items = document["items"]
    return {
        "version": document["version"],
        "titles": [item.get("title", "") for item in items],
        "links": [item.get("url") or item.get("external_url", "") for item in items],
        "ids": [str(item.get("id", "")) for item in items],
        "times": [list(feedparser.datetimes._parse_date(item["date_published"]))[:6] for item in items],
    }


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        data = file.read()
    if data.lstrip()[:1] == b"{":
        counted = json_feed(json.loads(data))
    elif b"<opml" in data[:1000]:
        counted = outlines(xml.etree.ElementTree.fromstring(data))
    else:
        counted = xml_feed(data)
    print(json.dumps({"path": path, "items": len(counted["titles"]), **counted}))
