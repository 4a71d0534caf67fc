#include "CGtkShims.h"

static const char key[] = "matinee-tooltip";

static gboolean query(GtkWidget *widget, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip, gpointer data) {
  (void)x, (void)y, (void)by_keyboard, (void)data;
  gtk_tooltip_set_text(tooltip, matinee_widget_tooltip(widget));
  return TRUE;
}

const char *matinee_widget_tooltip(GtkWidget *widget) { return g_object_get_data(G_OBJECT(widget), key); }

void matinee_widget_set_tooltip(GtkWidget *widget, const char *text) {
  gboolean had = matinee_widget_tooltip(widget) != NULL;
  g_object_set_data_full(G_OBJECT(widget), key, g_strdup(text), g_free);
  gtk_widget_set_has_tooltip(widget, text != NULL);
  if (text && !had) g_signal_connect(widget, "query-tooltip", G_CALLBACK(query), NULL);
  if (!text && had) g_signal_handlers_disconnect_by_func(widget, query, NULL);
}
