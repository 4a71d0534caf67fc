#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What `matinee-bench store` measures the app's store against: the same work as a C program does it that knows its one kind of entity, with
// the same schema, the same durability and the same bytes in the file.

typedef struct {
  char *id, *fan_club_id, *fan_club_name, *title, *byline, *teaser;
  // NULL for none.
  char *picture, *url, *reaction;
  // Seconds since 2001, as the app keeps dates.
  double published;
  bool premium, unlocked, bookmarked, read;
  // One kind of reaction is enough here.
  char *reaction_kind;
  int64_t reaction_count, comments;
} bench_post;

// Writes posts into a file that the app has made, in one transaction. Returns 0, or SQLite's code.
int bench_store_write(const char *path, const char *owner, const bench_post *posts, size_t count);

// Reads the first page of a list, opening the file first. Returns how many posts there are, or less than 0; the caller frees them.
int bench_store_first_page(const char *path, const char *list, bench_post **posts);

// All values in the order of their ids, one after the other: to see that two files hold the same. Returns how many bytes, or less than 0.
int64_t bench_store_bytes(const char *path, uint8_t **bytes);

void bench_posts_free(bench_post *posts, size_t count);
