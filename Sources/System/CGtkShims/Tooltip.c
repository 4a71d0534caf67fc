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

// GTK keeps one tooltip for a display, and takes it away itself when it has not been needed for a while.
static void forget(GtkWidget *widget, gpointer data) {
  (void)data;
  GQuark current = g_quark_try_string("gdk-display-current-tooltip");
  if (current) g_object_set_qdata(G_OBJECT(gtk_widget_get_display(widget)), current, NULL);
}

void matinee_end_tooltips_with_surface(GtkWidget *widget) { g_signal_connect(widget, "unrealize", G_CALLBACK(forget), NULL); }
