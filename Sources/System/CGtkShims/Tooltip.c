#include "CGtkShims.h"

static const char key[] = "matinee-tooltip";

static gboolean query(GtkWidget *widget, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip, gpointer data) {
  (void)x, (void)y, (void)by_keyboard, (void)data;
  gtk_tooltip_set_text(tooltip, matinee_widget_tooltip(widget));
  return TRUE;
}

const char *matinee_widget_tooltip(GtkWidget *widget) { return g_object_get_data(G_OBJECT(widget), key); }

// GTK 4.8 begins the delay of a tooltip when the pointer comes in. When the delay is over it asks the surface of that time where the pointer
// is, also where that surface is gone: the delay ends with it. GTK keeps one tooltip for a display, and takes it away itself when it has not
// been needed for a while.
static gboolean unrealized(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
  (void)hint, (void)count, (void)data;
  GObject *widget = g_value_get_object(values);
  GQuark current = GTK_IS_NATIVE(widget) ? g_quark_try_string("gdk-display-current-tooltip") : 0;
  if (current) g_object_set_qdata(G_OBJECT(gtk_widget_get_display(GTK_WIDGET(widget))), current, NULL);
  return TRUE;
}

// Of all widgets that have a surface: GTK makes menus of its own, for a text and for a title bar.
static void end_tooltips_with_surfaces(void) {
  static gsize once = 0;
  if (!g_once_init_enter(&once)) return;
  g_type_class_ref(GTK_TYPE_WIDGET);
  g_signal_add_emission_hook(g_signal_lookup("unrealize", GTK_TYPE_WIDGET), 0, unrealized, NULL, NULL);
  g_once_init_leave(&once, 1);
}

void matinee_widget_set_tooltip(GtkWidget *widget, const char *text) {
  end_tooltips_with_surfaces();
  gboolean had = matinee_widget_tooltip(widget) != NULL;
  g_object_set_data_full(G_OBJECT(widget), key, g_strdup(text), g_free);
  gtk_widget_set_has_tooltip(widget, text != NULL);
  if (text && !had) g_signal_connect(widget, "query-tooltip", G_CALLBACK(query), NULL);
  if (!text && had) g_signal_handlers_disconnect_by_func(widget, query, NULL);
}
