#ifndef MATINEE_CCURL_H
#define MATINEE_CCURL_H

// libcurl, loaded when it is first used: it brings two dozen libraries with it, and mapping them takes a tenth of the time until a window
// shows its first frame. Functions are named as in libcurl, with `matinee_` before; the setters and getters of curl are variadic, which
// Swift cannot call.

// The type-checking macros would shadow the functions below.
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

#pragma clang assume_nonnull begin

/// Loads and starts the library, once. Nothing else may be called before it returned 0. From any thread.
CURLcode matinee_curl_global_init(void);

/// The version of the library that is loaded.
const char *matinee_curl_version(void);

CURL *_Nullable matinee_curl_easy_init(void);
void matinee_curl_easy_reset(CURL *easy);
/// Blocks until the transfer has ended.
CURLcode matinee_curl_easy_perform(CURL *easy);
void matinee_curl_easy_cleanup(CURL *easy);
const char *matinee_curl_easy_strerror(CURLcode code);

CURLcode matinee_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode matinee_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode matinee_curl_set_string(CURL *easy, CURLoption option, const char *_Nullable value);
CURLcode matinee_curl_set_pointer(CURL *easy, CURLoption option, void *_Nullable value);
CURLcode matinee_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *_Nullable value);
CURLcode matinee_curl_set_transfer(CURL *easy, CURLoption option, curl_write_callback _Nullable value);
CURLcode matinee_curl_set_seek(CURL *easy, curl_seek_callback _Nullable value);
CURLcode matinee_curl_get_long(CURL *easy, CURLINFO info, long *value);

CURLM *_Nullable matinee_curl_multi_init(void);
CURLMcode matinee_curl_multi_cleanup(CURLM *multi);
CURLMcode matinee_curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode matinee_curl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode matinee_curl_multi_perform(CURLM *multi, int *running);
/// Waits for one of the multi handle's own descriptors, its timers, or a wake-up.
CURLMcode matinee_curl_multi_poll(CURLM *multi, int milliseconds);
/// From any thread.
CURLMcode matinee_curl_multi_wakeup(CURLM *multi);
CURLMsg *_Nullable matinee_curl_multi_info_read(CURLM *multi, int *left);
/// The result is a member of a union, behind a macro's name.
CURLcode matinee_curl_message_result(const CURLMsg *message);

struct curl_slist *_Nullable matinee_curl_slist_append(struct curl_slist *_Nullable list, const char *text);
void matinee_curl_slist_free_all(struct curl_slist *_Nullable list);

#pragma clang assume_nonnull end

#endif
