#pragma once

#include <sqlite3.h>

// SQLITE_TRANSIENT is a function pointer made of -1, which Swift cannot import: these bind a copy.
static inline int matinee_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 bytes) {
  return sqlite3_bind_text64(statement, index, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int matinee_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *blob, sqlite3_uint64 bytes) {
  return sqlite3_bind_blob64(statement, index, blob, bytes, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic.
static inline int matinee_sqlite3_no_checkpoint_on_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
