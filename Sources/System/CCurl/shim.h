#pragma once

// The type-checking macros would shadow the functions below.
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

#pragma clang assume_nonnull begin

// curl's setters and getters are variadic, which Swift cannot call.
static inline CURLcode matinee_curl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

static inline CURLcode matinee_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode matinee_curl_set_string(CURL *easy, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode matinee_curl_set_pointer(CURL *easy, CURLoption option, void *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode matinee_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode matinee_curl_set_transfer(CURL *easy, CURLoption option, curl_write_callback _Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode matinee_curl_set_seek(CURL *easy, curl_seek_callback _Nullable value) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode matinee_curl_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }

// The result is a member of a union, behind a macro's name.
static inline CURLcode matinee_curl_message_result(const CURLMsg *message) { return message->data.result; }

#pragma clang assume_nonnull end
