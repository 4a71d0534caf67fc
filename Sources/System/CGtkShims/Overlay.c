#include "CGtkShims.h"

// GtkOverlay gives a child at least the height that it needs at its least width: for a text that wraps, one letter in each line. With all of
// the room, the child's alignment decides, and that asks for the height at the width that it has.
static gboolean give_all(GtkOverlay *overlay, GtkWidget *child, GdkRectangle *place, gpointer data) {
  (void)child;
  (void)data;
  *place = (GdkRectangle){0, 0, gtk_widget_get_width(GTK_WIDGET(overlay)), gtk_widget_get_height(GTK_WIDGET(overlay))};
  return TRUE;
}

GtkWidget *matinee_overlay_new(void) {
  GtkWidget *overlay = gtk_overlay_new();
  g_signal_connect(overlay, "get-child-position", G_CALLBACK(give_all), NULL);
  return overlay;
}
