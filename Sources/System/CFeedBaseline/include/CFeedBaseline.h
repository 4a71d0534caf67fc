#pragma once

/// What reading a feed is measured against: libxml2 alone parses the document without callbacks, so that no tree is built either. Returns
/// whether the document is well formed.
int matinee_baseline_parse(const void *_Nonnull bytes, int count);

/// The same with a tree, which is what most programs in C would read the feed from.
int matinee_baseline_tree(const void *_Nonnull bytes, int count);
