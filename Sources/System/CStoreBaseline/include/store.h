#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// What `matinee-bench store` measures the app's store against: the same work as a C program does it that knows its one kind of entity, with
// the same schema, the same durability and the same bytes in the file.

typedef struct {
  // NULL until a text is made.
  char *_Nullable id, *_Nullable fan_club_id, *_Nullable fan_club_name, *_Nullable title, *_Nullable byline, *_Nullable teaser;
  // NULL for none.
  char *_Nullable picture, *_Nullable url, *_Nullable reaction, *_Nullable read_mark;
  // Seconds since 2001, as the app keeps dates.
  double published;
  bool premium, unlocked, bookmarked, read;
  // One kind of reaction is enough here.
  char *_Nullable reaction_kind;
  int64_t reaction_count, comments;
} bench_post;

typedef struct {
  // NULL when there is no memory.
  bench_post *_Nullable posts;
  size_t count;
  // The file that they were read from, which is open still, as it is in the app.
  struct sqlite3 *_Nullable database;
  // The posts that were read, found by their ids.
  const bench_post *_Nullable *_Nullable known;
} bench_posts;

// Posts without a text, whose texts are made with `strdup`.
bench_posts bench_posts_make(size_t count);

void bench_posts_free(bench_posts posts);

// Makes posts known by their ids, as a view needs them, and writes them into a file that the app has made, in one transaction.
// Returns 0, or SQLite's code.
int bench_store_write(const char *path, const char *owner, bench_posts posts);

// Reads the first page of a list, opening the file first and finding out whose it is, and makes its posts known by their ids; no posts when
// it fails. The caller frees them.
//
// On a thread that is made for it and wakes the main loop when it is done, as any program with a window has to: a main loop must not wait
// for a disk.
bench_posts bench_store_first_page(const char *path, const char *owner, const char *list);

// Makes the system forget what it holds of a file in memory, as after booting. Returns 0, or an error of errno.
int bench_store_forget(const char *path);

// Whether two files hold the same values, byte for byte, and at least as many bytes as that.
bool bench_store_same(const char *one, const char *other, size_t least);

#pragma clang assume_nonnull end
