"""Counts the items of feeds with feedparser, an independent reader: one JSON line a file."""

import json
import sys

import feedparser

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        feed = feedparser.parse(file.read())
    dated = sum(1 for entry in feed.entries if entry.get("published_parsed") or entry.get("updated_parsed"))
    print(
        json.dumps(
            {
                "path": path,
                "version": feed.get("version", ""),
                "items": len(feed.entries),
                "titles": [entry.get("title", "") for entry in feed.entries],
                "links": [entry.get("link", "") for entry in feed.entries],
                "ids": [entry.get("id", "") for entry in feed.entries],
                "authors": [entry.get("author", "") for entry in feed.entries],
                "dated": dated,
                "times": [
                    list((entry.get("published_parsed") or entry.get("updated_parsed") or ()))[:6] for entry in feed.entries
                ],
            }
        )
    )
