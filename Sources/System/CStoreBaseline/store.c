#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// CBOR (RFC 8949), as far as it is needed.

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
} buffer;

static bool reserve(buffer *out, size_t more) {
  if (out->capacity - out->count >= more) return true;
  size_t capacity = (out->capacity + more) * 2;
  uint8_t *bytes = realloc(out->bytes, capacity);
  if (!bytes) return false;
  out->bytes = bytes;
  out->capacity = capacity;
  return true;
}

static void put(buffer *out, uint8_t byte) { out->bytes[out->count++] = byte; }

static void put_wide(buffer *out, uint64_t number, int bytes) {
  while (bytes-- > 0) put(out, (uint8_t)(number >> (bytes * 8)));
}

static void put_head(buffer *out, uint8_t major, uint64_t number) {
  major <<= 5;
  if (number < 24) {
    put(out, major | (uint8_t)number);
  } else if (number <= UINT8_MAX) {
    put(out, major | 24);
    put_wide(out, number, 1);
  } else if (number <= UINT16_MAX) {
    put(out, major | 25);
    put_wide(out, number, 2);
  } else if (number <= UINT32_MAX) {
    put(out, major | 26);
    put_wide(out, number, 4);
  } else {
    put(out, major | 27);
    put_wide(out, number, 8);
  }
}

static bool put_text(buffer *out, const char *text) {
  size_t length = strlen(text);
  if (!reserve(out, length + 9)) return false;
  put_head(out, 3, length);
  memcpy(out->bytes + out->count, text, length);
  out->count += length;
  return true;
}

static bool put_field(buffer *out, const char *name, const char *text) {
  if (!put_text(out, name)) return false;
  if (text) return put_text(out, text);
  if (!reserve(out, 1)) return false;
  put(out, 0xf6);
  return true;
}

static bool put_flag(buffer *out, const char *name, bool flag) {
  if (!put_text(out, name) || !reserve(out, 1)) return false;
  put(out, flag ? 0xf5 : 0xf4);
  return true;
}

static bool put_number(buffer *out, const char *name, int64_t number) {
  if (!put_text(out, name) || !reserve(out, 9)) return false;
  if (number < 0) put_head(out, 1, (uint64_t)(-1 - number)); else put_head(out, 0, (uint64_t)number);
  return true;
}

static bool put_post(buffer *out, const bench_post *post) {
  out->count = 0;
  if (!reserve(out, 1)) return false;
  put(out, 0xbf);
  bool ok = put_field(out, "id", post->id) && put_field(out, "fanClubID", post->fan_club_id) &&
            put_field(out, "fanClubName", post->fan_club_name) && put_field(out, "title", post->title) &&
            put_field(out, "byline", post->byline) && put_field(out, "teaser", post->teaser) && put_field(out, "picture", post->picture) &&
            put_field(out, "url", post->url) && put_text(out, "published") && reserve(out, 9);
  if (!ok) return false;
  uint64_t bits;
  memcpy(&bits, &post->published, sizeof bits);
  put(out, 0xfb);
  put_wide(out, bits, 8);
  ok = put_flag(out, "premium", post->premium) && put_flag(out, "unlocked", post->unlocked) && put_text(out, "reactions") && reserve(out, 1);
  if (!ok) return false;
  put(out, 0xbf);
  if (post->reaction_kind && !put_number(out, post->reaction_kind, post->reaction_count)) return false;
  if (!reserve(out, 1)) return false;
  put(out, 0xff);
  ok = put_field(out, "reaction", post->reaction) && put_flag(out, "bookmarked", post->bookmarked) && put_flag(out, "read", post->read) &&
       put_field(out, "readMark", post->read_mark) && put_number(out, "comments", post->comments) && reserve(out, 1);
  if (!ok) return false;
  put(out, 0xff);
  return true;
}

typedef struct {
  const uint8_t *at, *end;
} cursor;

static bool get_head(cursor *in, uint8_t *major, uint64_t *number) {
  if (in->at == in->end) return false;
  uint8_t first = *in->at++;
  *major = first >> 5;
  *number = first & 0x1f;
  if (*number < 24) return true;
  if (*number > 27) return false;
  size_t width = (size_t)1 << (*number - 24);
  if ((size_t)(in->end - in->at) < width) return false;
  *number = 0;
  while (width-- > 0) *number = *number << 8 | *in->at++;
  return true;
}

static bool get_span(cursor *in, const char **text, size_t *length) {
  uint8_t major;
  uint64_t number;
  if (!get_head(in, &major, &number) || major != 3 || number > (uint64_t)(in->end - in->at)) return false;
  *text = (const char *)in->at;
  *length = number;
  in->at += number;
  return true;
}

static bool get_text(cursor *in, char **text) {
  const char *start;
  size_t length;
  if (!get_span(in, &start, &length)) return false;
  free(*text);
  return (*text = strndup(start, length)) != NULL;
}

static bool get_optional(cursor *in, char **text) {
  if (in->at == in->end || *in->at != 0xf6) return get_text(in, text);
  in->at++;
  return true;
}

static bool get_flag(cursor *in, bool *flag) {
  if (in->at == in->end || (*in->at != 0xf4 && *in->at != 0xf5)) return false;
  *flag = *in->at++ == 0xf5;
  return true;
}

static bool get_number(cursor *in, int64_t *number) {
  uint8_t major;
  uint64_t value;
  if (!get_head(in, &major, &value) || major > 1 || value > INT64_MAX) return false;
  *number = major ? -1 - (int64_t)value : (int64_t)value;
  return true;
}

static bool get_date(cursor *in, double *date) {
  uint8_t major;
  uint64_t bits;
  if (in->at == in->end || *in->at != 0xfb || !get_head(in, &major, &bits)) return false;
  memcpy(date, &bits, sizeof bits);
  return true;
}

static bool get_reactions(cursor *in, bench_post *post) {
  if (in->at == in->end || *in->at++ != 0xbf) return false;
  while (in->at < in->end && *in->at != 0xff) {
    if (!get_text(in, &post->reaction_kind) || !get_number(in, &post->reaction_count)) return false;
  }
  return in->at++ < in->end;
}

static bool is(const char *name, size_t length, const char *expected) {
  return length == strlen(expected) && memcmp(name, expected, length) == 0;
}

static bool get_post(cursor *in, bench_post *post) {
  if (in->at == in->end || *in->at++ != 0xbf) return false;
  while (in->at < in->end && *in->at != 0xff) {
    const char *name;
    size_t length;
    bool ok = false;
    if (!get_span(in, &name, &length)) return false;
    if (is(name, length, "id")) ok = get_text(in, &post->id);
    else if (is(name, length, "fanClubID")) ok = get_text(in, &post->fan_club_id);
    else if (is(name, length, "fanClubName")) ok = get_text(in, &post->fan_club_name);
    else if (is(name, length, "title")) ok = get_text(in, &post->title);
    else if (is(name, length, "byline")) ok = get_text(in, &post->byline);
    else if (is(name, length, "teaser")) ok = get_text(in, &post->teaser);
    else if (is(name, length, "picture")) ok = get_optional(in, &post->picture);
    else if (is(name, length, "url")) ok = get_optional(in, &post->url);
    else if (is(name, length, "published")) ok = get_date(in, &post->published);
    else if (is(name, length, "premium")) ok = get_flag(in, &post->premium);
    else if (is(name, length, "unlocked")) ok = get_flag(in, &post->unlocked);
    else if (is(name, length, "reactions")) ok = get_reactions(in, post);
    else if (is(name, length, "reaction")) ok = get_optional(in, &post->reaction);
    else if (is(name, length, "bookmarked")) ok = get_flag(in, &post->bookmarked);
    else if (is(name, length, "read")) ok = get_flag(in, &post->read);
    else if (is(name, length, "readMark")) ok = get_optional(in, &post->read_mark);
    else if (is(name, length, "comments")) ok = get_number(in, &post->comments);
    if (!ok) return false;
  }
  return in->at < in->end;
}

bench_posts bench_posts_make(size_t count) {
  return (bench_posts){.posts = calloc(count, sizeof(bench_post)), .count = count};
}

void bench_posts_free(bench_posts posts) {
  for (size_t i = 0; posts.posts && i < posts.count; i++) {
    bench_post *post = posts.posts + i;
    char *texts[] = {post->id,     post->fan_club_id, post->fan_club_name, post->title,    post->byline,
                     post->teaser, post->picture,     post->url,           post->reaction, post->reaction_kind,
                     post->read_mark};
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) free(texts[j]);
  }
  free(posts.posts);
  free(posts.known);
  sqlite3_close_v2(posts.database);
}

// SQLite, opened and used as the app does.

static int open_store(const char *path, sqlite3 **database) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int code = sqlite3_open_v2(path, database, flags, NULL);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(*database, 5000);
    const char *sql =
        "PRAGMA schema_version; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA user_version";
    code = sqlite3_exec(*database, sql, NULL, NULL, NULL);
  }
  return code;
}

// A table of the posts by their ids, the last of each: which of them is known already.
static const bench_post **by_id(bench_posts posts) {
  size_t capacity = 16;
  while (capacity < posts.count * 2) capacity *= 2;
  const bench_post **table = calloc(capacity, sizeof *table);
  for (size_t i = 0; table && i < posts.count; i++) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char *at = posts.posts[i].id; *at; at++) hash = (hash ^ (uint8_t)*at) * 0x100000001b3;
    size_t place = hash & (capacity - 1);
    while (table[place] && strcmp(table[place]->id, posts.posts[i].id) != 0) place = (place + 1) & (capacity - 1);
    table[place] = posts.posts + i;
  }
  return table;
}

int bench_store_write(const char *path, const char *owner, bench_posts posts) {
  const bench_post **known = by_id(posts);
  if (!known) return SQLITE_NOMEM;
  sqlite3 *database = NULL;
  sqlite3_stmt *claim = NULL, *upsert = NULL;
  buffer out = {0};
  int code = open_store(path, &database);
  if (code == SQLITE_OK) code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(
        database,
        "INSERT INTO store (one, owner, tick) VALUES (1, ?, 1) ON CONFLICT DO UPDATE SET tick = excluded.tick WHERE owner = excluded.owner",
        -1, &claim, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_text(claim, 1, owner, -1, SQLITE_STATIC);
    code = sqlite3_step(claim) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
  }
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(
        database,
        "INSERT INTO entity (kind, id, pinned, read, value, detail) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET "
        "pinned = excluded.pinned, read = excluded.read, value = excluded.value, detail = coalesce(excluded.detail, detail)",
        -1, &upsert, NULL);
  for (size_t i = 0; code == SQLITE_OK && i < posts.count; i++) {
    const bench_post *post = posts.posts + i;
    if (!put_post(&out, post)) code = SQLITE_NOMEM;
    sqlite3_bind_text(upsert, 1, "Post", 4, SQLITE_STATIC);
    sqlite3_bind_text(upsert, 2, post->id, -1, SQLITE_STATIC);
    sqlite3_bind_int(upsert, 3, post->bookmarked);
    sqlite3_bind_int64(upsert, 4, 1);
    sqlite3_bind_blob64(upsert, 5, out.bytes, out.count, SQLITE_STATIC);
    sqlite3_bind_null(upsert, 6);
    if (code == SQLITE_OK && sqlite3_step(upsert) != SQLITE_DONE) code = sqlite3_errcode(database);
    sqlite3_reset(upsert);
  }
  sqlite3_finalize(claim);
  sqlite3_finalize(upsert);
  if (code == SQLITE_OK) code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
  free(out.bytes);
  free(known);
  // What the app does when it ends is not part of what is measured: there the file stays open.
  int flag = sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
  sqlite3_close_v2(database);
  return code == SQLITE_OK ? flag : code;
}

static bool is_of(sqlite3 *database, const char *owner) {
  sqlite3_stmt *store = NULL;
  bool ok = sqlite3_prepare_v2(database, "SELECT owner, tick FROM store", -1, &store, NULL) == SQLITE_OK && sqlite3_step(store) == SQLITE_ROW &&
            strcmp((const char *)sqlite3_column_text(store, 0), owner) == 0;
  sqlite3_finalize(store);
  return ok;
}

static bench_posts first_page(const char *path, const char *owner, const char *list) {
  sqlite3_stmt *page = NULL, *entity = NULL;
  // The publication's pages have no more than a hundred.
  const size_t most = 100;
  bench_posts read = bench_posts_make(most);
  read.count = 0;
  bool ok = read.posts && open_store(path, &read.database) == SQLITE_OK && is_of(read.database, owner);
  // One lock of the file for all that is read.
  ok = ok && sqlite3_exec(read.database, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
       sqlite3_prepare_v2(read.database, "SELECT ids, next, etag, fetched, digest FROM page WHERE list = ? AND cursor = ?", -1, &page, NULL) == SQLITE_OK &&
       sqlite3_prepare_v2(read.database, "SELECT number, value FROM entity WHERE kind = ? AND id = ?", -1, &entity, NULL) == SQLITE_OK;
  cursor ids = {0};
  if (ok) {
    sqlite3_bind_text(page, 1, list, -1, SQLITE_STATIC);
    sqlite3_bind_text(page, 2, "", 0, SQLITE_STATIC);
    ok = sqlite3_step(page) == SQLITE_ROW && (ids.at = sqlite3_column_blob(page, 0)) != NULL;
  }
  if (ok) {
    ids.end = ids.at + sqlite3_column_bytes(page, 0);
    ok = *ids.at++ == 0x9f;
    sqlite3_bind_text(entity, 1, "Post", 4, SQLITE_STATIC);
  }
  while (ok && ids.at < ids.end && *ids.at != 0xff && read.count < most) {
    const char *id;
    size_t length;
    ok = get_span(&ids, &id, &length);
    if (!ok) break;
    sqlite3_bind_text(entity, 2, id, (int)length, SQLITE_STATIC);
    if (sqlite3_step(entity) == SQLITE_ROW) {
      cursor value = {sqlite3_column_blob(entity, 1), NULL};
      value.end = value.at + sqlite3_column_bytes(entity, 1);
      ok = get_post(&value, read.posts + read.count++);
    }
    sqlite3_reset(entity);
  }
  sqlite3_finalize(page);
  sqlite3_finalize(entity);
  if (ok) ok = sqlite3_exec(read.database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
  if (ok) return read;
  bench_posts_free(read);
  return (bench_posts){.posts = NULL};
}

typedef struct {
  const char *path, *owner, *list;
  // Where the main loop waits.
  int done;
  bench_posts read;
} job;

static void *read_beside(void *argument) {
  job *job = argument;
  job->read = first_page(job->path, job->owner, job->list);
  eventfd_write(job->done, 1);
  return NULL;
}

bench_posts bench_store_first_page(const char *path, const char *owner, const char *list) {
  job job = {.path = path, .owner = owner, .list = list, .done = eventfd(0, EFD_CLOEXEC)};
  pthread_attr_t detached;
  pthread_t thread;
  eventfd_t times;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  if (job.done >= 0 && pthread_create(&thread, &detached, read_beside, &job) == 0) eventfd_read(job.done, &times);
  pthread_attr_destroy(&detached);
  close(job.done);
  if (job.read.posts) job.read.known = by_id(job.read);
  return job.read;
}

static bool read_values(const char *path, buffer *out) {
  sqlite3 *database = NULL;
  sqlite3_stmt *values = NULL;
  bool ok = open_store(path, &database) == SQLITE_OK &&
            sqlite3_prepare_v2(database, "SELECT value FROM entity ORDER BY kind, id", -1, &values, NULL) == SQLITE_OK;
  while (ok && sqlite3_step(values) == SQLITE_ROW) {
    size_t count = (size_t)sqlite3_column_bytes(values, 0);
    ok = reserve(out, count);
    if (!ok) break;
    memcpy(out->bytes + out->count, sqlite3_column_blob(values, 0), count);
    out->count += count;
  }
  sqlite3_finalize(values);
  sqlite3_close_v2(database);
  return ok;
}

bool bench_store_same(const char *one, const char *other, size_t least) {
  buffer a = {0}, b = {0};
  bool same = read_values(one, &a) && read_values(other, &b) && a.count >= least && a.count == b.count && memcmp(a.bytes, b.bytes, a.count) == 0;
  free(a.bytes);
  free(b.bytes);
  return same;
}

int bench_store_forget(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  // What is not on the disk yet would not be forgotten.
  int code = fdatasync(file) == 0 ? posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) : errno;
  close(file);
  return code;
}
