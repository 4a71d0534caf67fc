#define GLIB_VERSION_MIN_REQUIRED GLIB_VERSION_2_72

#include "CSecretShims.h"

#include <libsecret/secret.h>
#include <string.h>

// A time limit: cancels when it has passed. libsecret's own calls wait for ever.
typedef struct {
  GMutex lock;
  GCond ended;
  gboolean is_finished, has_passed;
  gint64 until;
  GCancellable *cancellable;
  GThread *thread;
} Limit;

static gpointer limit_wait(gpointer data) {
  Limit *limit = data;
  g_mutex_lock(&limit->lock);
  while (!limit->is_finished && !limit->has_passed) {
    limit->has_passed = !g_cond_wait_until(&limit->ended, &limit->lock, limit->until);
  }
  gboolean cancels = limit->has_passed && !limit->is_finished;
  g_mutex_unlock(&limit->lock);
  if (cancels) g_cancellable_cancel(limit->cancellable);
  return NULL;
}

static void limit_begin(Limit *limit, uint32_t milliseconds) {
  memset(limit, 0, sizeof *limit);
  g_mutex_init(&limit->lock);
  g_cond_init(&limit->ended);
  limit->until = g_get_monotonic_time() + (gint64)milliseconds * 1000;
  limit->cancellable = g_cancellable_new();
  limit->thread = g_thread_new("secret-limit", limit_wait, limit);
}

static void limit_end(Limit *limit) {
  g_mutex_lock(&limit->lock);
  limit->is_finished = TRUE;
  g_cond_signal(&limit->ended);
  g_mutex_unlock(&limit->lock);
  g_thread_join(limit->thread);
  g_object_unref(limit->cancellable);
  g_cond_clear(&limit->ended);
  g_mutex_clear(&limit->lock);
}

// One call: what it looks for, and a main context of its own, so that the service's signals are not delivered on the app's.
typedef struct {
  SecretSchema *schema;
  GHashTable *attributes;
  GMainContext *context;
  matinee_secret_answer answer;
} Call;

static void answer(Call *call, matinee_secret_outcome outcome, const char *text) {
  call->answer.outcome = outcome;
  g_clear_pointer(&call->answer.text, secret_password_free);
  if (text) call->answer.text = g_strdup(text);
}

static gboolean means_no_service(const GError *error) {
  if (error->domain == G_DBUS_ERROR) {
    switch (error->code) {
      case G_DBUS_ERROR_SERVICE_UNKNOWN:
      case G_DBUS_ERROR_NAME_HAS_NO_OWNER:
      case G_DBUS_ERROR_DISCONNECTED:
      case G_DBUS_ERROR_NO_SERVER:
      case G_DBUS_ERROR_SPAWN_EXEC_FAILED:
      case G_DBUS_ERROR_SPAWN_FORK_FAILED:
      case G_DBUS_ERROR_SPAWN_CHILD_EXITED:
      case G_DBUS_ERROR_SPAWN_CHILD_SIGNALED:
      case G_DBUS_ERROR_SPAWN_FAILED:
      case G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND:
        return TRUE;
    }
  }
  return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CLOSED);
}

static void answer_error(Call *call, GError *error) {
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) ||
      g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY) || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_TIMEOUT)) {
    answer(call, matinee_secret_timed_out, error->message);
  } else if (means_no_service(error)) {
    answer(call, matinee_secret_no_service, error->message);
  } else if (g_error_matches(error, SECRET_ERROR, SECRET_ERROR_IS_LOCKED)) {
    answer(call, matinee_secret_locked, error->message);
  } else {
    answer(call, matinee_secret_failed, error->message);
  }
  g_error_free(error);
}

// Without an address GLib would start a bus of its own, in a way that no limit ends.
static gboolean has_session_bus(void) {
  const char *address = g_getenv("DBUS_SESSION_BUS_ADDRESS");
  if (address && *address) return TRUE;
  char *path = g_build_filename(g_get_user_runtime_dir(), "bus", NULL);
  gboolean exists = g_file_test(path, G_FILE_TEST_EXISTS);
  g_free(path);
  return exists;
}

// libsecret's file back end, which the environment chooses, needs no bus.
static gboolean needs_no_bus(void) { return g_strcmp0(g_getenv("SECRET_BACKEND"), "file") == 0; }

static gboolean connect_to_bus(Call *call, uint32_t milliseconds) {
  if (needs_no_bus()) return TRUE;
  if (!has_session_bus()) {
    answer(call, matinee_secret_no_service, "There is no session bus.");
    return FALSE;
  }
  Limit limit;
  limit_begin(&limit, milliseconds);
  GError *error = NULL;
  GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, limit.cancellable, &error);
  limit_end(&limit);
  if (bus) {
    g_object_unref(bus);
    return TRUE;
  }
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    answer_error(call, error);
  } else {
    answer(call, matinee_secret_no_service, error->message);
    g_error_free(error);
  }
  return FALSE;
}

static gboolean call_begin(Call *call, const char *schema, const char *publication, const char *account, uint32_t limit) {
  memset(&call->answer, 0, sizeof call->answer);
  call->context = NULL;
  call->schema = secret_schema_new(
      schema, SECRET_SCHEMA_NONE, "publication", SECRET_SCHEMA_ATTRIBUTE_STRING, "account", SECRET_SCHEMA_ATTRIBUTE_STRING, NULL);
  call->attributes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  g_hash_table_insert(call->attributes, "publication", g_strdup(publication));
  g_hash_table_insert(call->attributes, "account", g_strdup(account));
  if (!connect_to_bus(call, limit)) return FALSE;
  call->context = g_main_context_new();
  g_main_context_push_thread_default(call->context);
  return TRUE;
}

static matinee_secret_answer call_end(Call *call) {
  if (call->context) {
    // The next call asks again: the service may have come, gone or been replaced in between.
    secret_service_disconnect();
    g_main_context_pop_thread_default(call->context);
    g_main_context_unref(call->context);
  }
  g_hash_table_unref(call->attributes);
  secret_schema_unref(call->schema);
  return call->answer;
}

typedef enum { SEARCH_FAILED, FOUND_NONE, FOUND_LOCKED, FOUND_OPEN } Found;

// Never asks a person for anything: shows whether the service answers and what there is.
static Found search(Call *call, uint32_t milliseconds) {
  Limit limit;
  limit_begin(&limit, milliseconds);
  GError *error = NULL;
  GList *items = secret_password_searchv_sync(call->schema, call->attributes, SECRET_SEARCH_NONE, limit.cancellable, &error);
  limit_end(&limit);
  if (error) {
    answer_error(call, error);
    return SEARCH_FAILED;
  }
  Found found = FOUND_NONE;
  if (items) found = SECRET_IS_ITEM(items->data) && secret_item_get_locked(items->data) ? FOUND_LOCKED : FOUND_OPEN;
  g_list_free_full(items, g_object_unref);
  return found;
}

matinee_secret_answer matinee_secret_load(
    const char *schema, const char *publication, const char *account, uint32_t milliseconds, uint32_t prompt_milliseconds) {
  Call call;
  if (!call_begin(&call, schema, publication, account, milliseconds)) return call_end(&call);
  Found found = search(&call, milliseconds);
  if (found == FOUND_NONE) answer(&call, matinee_secret_not_found, NULL);
  if (found == FOUND_LOCKED || found == FOUND_OPEN) {
    Limit limit;
    limit_begin(&limit, found == FOUND_LOCKED ? prompt_milliseconds : milliseconds);
    GError *error = NULL;
    char *text = secret_password_lookupv_sync(call.schema, call.attributes, limit.cancellable, &error);
    limit_end(&limit);
    if (error) {
      answer_error(&call, error);
    } else if (text) {
      call.answer.outcome = matinee_secret_done;
      call.answer.text = text;
    } else {
      // A prompt that was dismissed is no error to libsecret.
      answer(&call, found == FOUND_LOCKED ? matinee_secret_locked : matinee_secret_not_found, NULL);
    }
  }
  return call_end(&call);
}

matinee_secret_answer matinee_secret_save(
    const char *schema, const char *publication, const char *account, const char *label, const char *text, uint32_t milliseconds,
    uint32_t prompt_milliseconds) {
  Call call;
  if (!call_begin(&call, schema, publication, account, milliseconds)) return call_end(&call);
  if (search(&call, milliseconds) != SEARCH_FAILED) {
    Limit limit;
    limit_begin(&limit, prompt_milliseconds);
    GError *error = NULL;
    gboolean stored = secret_password_storev_sync(
        call.schema, call.attributes, SECRET_COLLECTION_DEFAULT, label, text, limit.cancellable, &error);
    limit_end(&limit);
    if (error) {
      answer_error(&call, error);
    } else {
      answer(&call, stored ? matinee_secret_done : matinee_secret_locked, NULL);
    }
  }
  return call_end(&call);
}

matinee_secret_answer matinee_secret_clear(
    const char *schema, const char *publication, const char *account, uint32_t milliseconds, uint32_t prompt_milliseconds) {
  Call call;
  if (!call_begin(&call, schema, publication, account, milliseconds)) return call_end(&call);
  Found found = search(&call, milliseconds);
  if (found == FOUND_NONE) answer(&call, matinee_secret_done, NULL);
  if (found == FOUND_LOCKED || found == FOUND_OPEN) {
    Limit limit;
    limit_begin(&limit, prompt_milliseconds);
    GError *error = NULL;
    gboolean removed = secret_password_clearv_sync(call.schema, call.attributes, limit.cancellable, &error);
    limit_end(&limit);
    if (error) {
      answer_error(&call, error);
    } else {
      answer(&call, removed || found == FOUND_OPEN ? matinee_secret_done : matinee_secret_locked, NULL);
    }
  }
  return call_end(&call);
}

void matinee_secret_answer_free(matinee_secret_answer answer) { secret_password_free(answer.text); }

int matinee_secret_version(void) { return SECRET_MAJOR_VERSION * 10000 + SECRET_MINOR_VERSION * 100 + SECRET_MICRO_VERSION; }
