#include "CGtkShims.h"

void matinee_object_set_boolean(void *object, const char *property, gboolean value) { g_object_set(object, property, value, NULL); }

void matinee_widget_set_role(GtkWidget *widget, GtkAccessibleRole role) { g_object_set(widget, "accessible-role", role, NULL); }

void matinee_emit(void *object, const char *signal) { g_signal_emit_by_name(object, signal); }

gboolean matinee_is_a(const void *object, GType type) { return g_type_check_instance_is_a((GTypeInstance *)object, type); }

void matinee_object_set_string(void *object, const char *property, const char *value) { g_object_set(object, property, value, NULL); }

int matinee_object_get_int(void *object, const char *property) {
  int value = 0;
  g_object_get(object, property, &value, NULL);
  return value;
}

char *matinee_object_get_string(void *object, const char *property) {
  char *value = NULL;
  g_object_get(object, property, &value, NULL);
  return value;
}

gboolean matinee_object_get_boolean(void *object, const char *property) {
  gboolean value = FALSE;
  g_object_get(object, property, &value, NULL);
  return value;
}

void matinee_accessible_set_state(GtkAccessible *accessible, GtkAccessibleState state, int value) {
  gtk_accessible_update_state(accessible, state, value, -1);
}

GtkTextDirection matinee_text_direction(const char *text) {
  // Pango offers nothing in its place, and GTK has a copy for itself.
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  PangoDirection direction = pango_find_base_dir(text, -1);
  G_GNUC_END_IGNORE_DEPRECATIONS
  return direction == PANGO_DIRECTION_RTL ? GTK_TEXT_DIR_RTL : direction == PANGO_DIRECTION_LTR ? GTK_TEXT_DIR_LTR : GTK_TEXT_DIR_NONE;
}
