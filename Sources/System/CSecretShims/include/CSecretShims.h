#ifndef MATINEE_CSECRET_SHIMS_H
#define MATINEE_CSECRET_SHIMS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

// One secret text in the desktop's keyring, found by a schema's name and two attributes.
//
// Every call blocks, for at most `limit` milliseconds where the service only has to answer and `prompt_limit` where a person may
// have to type the keyring's password. None needs a GLib main loop. Not for two threads at once.

/// How a call went.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// Done; a load has a text.
  matinee_secret_done,
  /// There is no such secret.
  matinee_secret_not_found,
  /// No service answers to the name, or there is no session bus.
  matinee_secret_no_service,
  /// The keyring is locked and stayed so.
  matinee_secret_locked,
  /// A limit passed.
  matinee_secret_timed_out,
  /// Anything else; the text says what.
  matinee_secret_failed,
} matinee_secret_outcome;

/// The answer of a call: free it with `matinee_secret_answer_free`.
typedef struct {
  matinee_secret_outcome outcome;
  /// The secret of a load that is done, or what a failure says.
  char *_Nullable text;
} matinee_secret_answer;

matinee_secret_answer matinee_secret_load(
    const char *schema, const char *publication, const char *account, uint32_t limit, uint32_t prompt_limit);

matinee_secret_answer matinee_secret_save(
    const char *schema, const char *publication, const char *account, const char *label, const char *text, uint32_t limit,
    uint32_t prompt_limit);

/// Finding nothing to remove is `matinee_secret_done` too.
matinee_secret_answer matinee_secret_clear(
    const char *schema, const char *publication, const char *account, uint32_t limit, uint32_t prompt_limit);

/// The version of libsecret that this was compiled with, such as 2005 for 0.20.5: the library itself does not say which one it is.
int matinee_secret_version(void);

/// Wipes the text.
void matinee_secret_answer_free(matinee_secret_answer answer);

#pragma clang assume_nonnull end

#endif
