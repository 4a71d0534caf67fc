#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *library = NULL;
static CURLcode state = CURLE_FAILED_INIT;

// The library is there: without one of these functions it is not the one that the name stands for.
static void *function(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "libcurl has no %s\n", name);
    abort();
  }
  return found;
}

#define CURL_FUNCTION(name) ((__typeof__(&name))function(#name))

static void start(void) {
  library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library) state = CURL_FUNCTION(curl_global_init)(CURL_GLOBAL_DEFAULT);
}

CURLcode matinee_curl_global_init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
  return state;
}

const char *matinee_curl_version(void) { return CURL_FUNCTION(curl_version_info)(CURLVERSION_NOW)->version; }

CURL *matinee_curl_easy_init(void) { return CURL_FUNCTION(curl_easy_init)(); }
void matinee_curl_easy_reset(CURL *easy) { CURL_FUNCTION(curl_easy_reset)(easy); }
CURLcode matinee_curl_easy_perform(CURL *easy) { return CURL_FUNCTION(curl_easy_perform)(easy); }
void matinee_curl_easy_cleanup(CURL *easy) { CURL_FUNCTION(curl_easy_cleanup)(easy); }
const char *matinee_curl_easy_strerror(CURLcode code) { return CURL_FUNCTION(curl_easy_strerror)(code); }

#define SET(easy, option, value) CURL_FUNCTION(curl_easy_setopt)(easy, option, value)

CURLcode matinee_curl_set_long(CURL *easy, CURLoption option, long value) { return SET(easy, option, value); }
CURLcode matinee_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) { return SET(easy, option, value); }
CURLcode matinee_curl_set_string(CURL *easy, CURLoption option, const char *value) { return SET(easy, option, value); }
CURLcode matinee_curl_set_pointer(CURL *easy, CURLoption option, void *value) { return SET(easy, option, value); }
CURLcode matinee_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) { return SET(easy, option, value); }
CURLcode matinee_curl_set_transfer(CURL *easy, CURLoption option, curl_write_callback value) { return SET(easy, option, value); }
CURLcode matinee_curl_set_seek(CURL *easy, curl_seek_callback value) { return SET(easy, CURLOPT_SEEKFUNCTION, value); }
CURLcode matinee_curl_get_long(CURL *easy, CURLINFO info, long *value) { return CURL_FUNCTION(curl_easy_getinfo)(easy, info, value); }

CURLM *matinee_curl_multi_init(void) { return CURL_FUNCTION(curl_multi_init)(); }
CURLMcode matinee_curl_multi_cleanup(CURLM *multi) { return CURL_FUNCTION(curl_multi_cleanup)(multi); }
CURLMcode matinee_curl_multi_add_handle(CURLM *multi, CURL *easy) { return CURL_FUNCTION(curl_multi_add_handle)(multi, easy); }
CURLMcode matinee_curl_multi_remove_handle(CURLM *multi, CURL *easy) { return CURL_FUNCTION(curl_multi_remove_handle)(multi, easy); }
CURLMcode matinee_curl_multi_perform(CURLM *multi, int *running) { return CURL_FUNCTION(curl_multi_perform)(multi, running); }
CURLMcode matinee_curl_multi_poll(CURLM *multi, int milliseconds) {
  return CURL_FUNCTION(curl_multi_poll)(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode matinee_curl_multi_wakeup(CURLM *multi) { return CURL_FUNCTION(curl_multi_wakeup)(multi); }
CURLMsg *matinee_curl_multi_info_read(CURLM *multi, int *left) { return CURL_FUNCTION(curl_multi_info_read)(multi, left); }
CURLcode matinee_curl_message_result(const CURLMsg *message) { return message->data.result; }

struct curl_slist *matinee_curl_slist_append(struct curl_slist *list, const char *text) {
  return CURL_FUNCTION(curl_slist_append)(list, text);
}
void matinee_curl_slist_free_all(struct curl_slist *list) {
  // None was made, perhaps because the library is not there.
  if (list) CURL_FUNCTION(curl_slist_free_all)(list);
}
