#pragma once

#include <sqlite3.h>

#pragma clang assume_nonnull begin

// SQLITE_TRANSIENT is a function pointer made of -1, which Swift cannot import: these bind a copy.
static inline int matinee_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *_Nullable text, sqlite3_uint64 bytes) {
  return sqlite3_bind_text64(statement, index, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int matinee_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *_Nullable blob, sqlite3_uint64 bytes) {
  return sqlite3_bind_blob64(statement, index, blob, bytes, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic.
static inline int matinee_sqlite3_no_checkpoint_on_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// FTS5 hands its interface over as a pointer with a type, into a variable of the caller's (https://sqlite.org/fts5.html#extending_fts5).
static inline fts5_api *_Nullable matinee_fts5_api(sqlite3 *database) {
  fts5_api *_Nullable api = 0;
  sqlite3_stmt *_Nullable statement = 0;
  if (sqlite3_prepare_v2(database, "SELECT fts5(?1)", -1, &statement, 0) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", 0);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

#pragma clang assume_nonnull end
