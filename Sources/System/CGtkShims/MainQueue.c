#include "CGtkShims.h"
#include <glib-unix.h>
#include <unistd.h>

// libdispatch exports these for run loops other than its own.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

static uint64_t wakeups = 0;

static gboolean drain(gint descriptor, GIOCondition condition, gpointer data) {
  (void)condition;
  (void)data;
  uint64_t counter;
  // Unread, the counter keeps the descriptor ready and the loop never rests.
  ssize_t count = read(descriptor, &counter, sizeof counter);
  (void)count;
  wakeups += 1;
  _dispatch_main_queue_callback_4CF(NULL);
  return G_SOURCE_CONTINUE;
}

gboolean matinee_main_queue_attach(void) {
  static gboolean attached = FALSE;
  if (attached) return TRUE;
  int descriptor = _dispatch_get_main_queue_handle_4CF();
  if (descriptor < 0) return FALSE;
  // At the priority of painting: work that keeps coming takes turns with frames, and neither delays input.
  g_unix_fd_add_full(GDK_PRIORITY_REDRAW, descriptor, G_IO_IN, drain, NULL, NULL);
  attached = TRUE;
  return TRUE;
}

uint64_t matinee_main_queue_wakeups(void) { return wakeups; }
