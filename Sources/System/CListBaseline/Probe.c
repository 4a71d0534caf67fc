#include "CListBaseline.h"
#include "../CGtk/CGtk.h"
#include <time.h>

struct BaselineProbe {
  GtkWidget *window;
  GtkListView *list;
  GtkAdjustment *adjustment;
  GPtrArray *bound;
  gulong handlers[2];
  int painted;
};

static GtkListView *find_list(GtkWidget *widget) {
  if (GTK_IS_LIST_VIEW(widget)) return GTK_LIST_VIEW(widget);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
    GtkListView *found = find_list(child);
    if (found) return found;
  }
  return NULL;
}

double baseline_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void after_paint(GdkFrameClock *clock, BaselineProbe *probe) {
  (void)clock;
  probe->painted += 1;
}

static void note_bound(GtkListItemFactory *factory, GObject *item, BaselineProbe *probe) {
  (void)factory;
  g_ptr_array_add(probe->bound, item);
}

static void note_unbound(GtkListItemFactory *factory, GObject *item, BaselineProbe *probe) {
  (void)factory;
  g_ptr_array_remove_fast(probe->bound, item);
}

BaselineProbe *baseline_probe_new(const char *title) {
  BaselineProbe *probe = NULL;
  GList *windows = gtk_window_list_toplevels();
  for (GList *link = windows; link && !probe; link = link->next) {
    if (!GTK_IS_WINDOW(link->data) || g_strcmp0(gtk_window_get_title(link->data), title) != 0) continue;
    GtkListView *list = find_list(link->data);
    if (!list) continue;
    probe = g_new0(BaselineProbe, 1);
    probe->window = link->data;
    probe->list = list;
    probe->adjustment = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(list));
    probe->bound = g_ptr_array_new();
    GtkListItemFactory *factory = gtk_list_view_get_factory(list);
    probe->handlers[0] = g_signal_connect(factory, "bind", G_CALLBACK(note_bound), probe);
    probe->handlers[1] = g_signal_connect(factory, "unbind", G_CALLBACK(note_unbound), probe);
    g_signal_connect(gtk_widget_get_frame_clock(probe->window), "after-paint", G_CALLBACK(after_paint), probe);
  }
  g_list_free(windows);
  return probe;
}

static void frame(BaselineProbe *probe) {
  int before = probe->painted;
  gtk_widget_queue_draw(probe->window);
  while (probe->painted == before) g_main_context_iteration(NULL, TRUE);
}

void baseline_probe_settle(BaselineProbe *probe) {
  for (int count = 0; count < 20; count++) frame(probe);
}

static void rewind_list(BaselineProbe *probe) {
  gtk_widget_activate_action(GTK_WIDGET(probe->list), "list.scroll-to-item", "u", 0);
  baseline_probe_settle(probe);
}

double baseline_probe_scroll(BaselineProbe *probe, int frames, double pixels) {
  rewind_list(probe);
  double start = baseline_seconds();
  for (int count = 0; count < frames; count++) {
    gtk_adjustment_set_value(probe->adjustment, gtk_adjustment_get_value(probe->adjustment) + pixels);
    frame(probe);
  }
  return (baseline_seconds() - start) / frames;
}

uint32_t baseline_probe_rows(BaselineProbe *probe) { return probe->bound->len; }

double baseline_probe_bind(BaselineProbe *probe, int times) {
  GtkListItemFactory *factory = gtk_list_view_get_factory(probe->list);
  guint bind = g_signal_lookup("bind", GTK_TYPE_SIGNAL_LIST_ITEM_FACTORY);
  guint unbind = g_signal_lookup("unbind", GTK_TYPE_SIGNAL_LIST_ITEM_FACTORY);
  // Rows that were filled before the probe was there become known by moving them, which is no part of what is measured.
  gtk_widget_activate_action(GTK_WIDGET(probe->list), "list.scroll-to-item", "u", 5000);
  baseline_probe_settle(probe);
  for (int index = 0; index < 2; index++) g_signal_handler_block(factory, probe->handlers[index]);
  double start = baseline_seconds();
  for (int time = 0; time < times; time++) {
    for (guint place = 0; place < probe->bound->len; place++) {
      g_signal_emit(factory, unbind, 0, probe->bound->pdata[place]);
      g_signal_emit(factory, bind, 0, probe->bound->pdata[place]);
    }
  }
  double each = (baseline_seconds() - start) / times / MAX(1, probe->bound->len);
  for (int index = 0; index < 2; index++) g_signal_handler_unblock(factory, probe->handlers[index]);
  return each;
}
