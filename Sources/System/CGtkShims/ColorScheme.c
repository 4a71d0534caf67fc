#include "CGtkShims.h"

static const char *const portal = "org.freedesktop.portal.Desktop";
static const char *const portal_path = "/org/freedesktop/portal/desktop";
static const char *const settings = "org.freedesktop.portal.Settings";
static const char *const appearance = "org.freedesktop.appearance";
static const char *const color_scheme = "color-scheme";

static void (*scheme_changed)(gboolean prefers_dark) = NULL;

/// A value within values, as the portal wraps it: once in its signal, twice in its answer.
static void tell(GVariant *value) {
  GVariant *inner = g_variant_ref(value);
  while (g_variant_is_of_type(inner, G_VARIANT_TYPE_VARIANT)) {
    GVariant *next = g_variant_get_variant(inner);
    g_variant_unref(inner);
    inner = next;
  }
  if (g_variant_is_of_type(inner, G_VARIANT_TYPE_UINT32)) scheme_changed(g_variant_get_uint32(inner) == 1);
  g_variant_unref(inner);
}

static void answered(GObject *source, GAsyncResult *result, gpointer data) {
  (void)data;
  // A desktop without the portal has no such preference.
  GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
  if (!answer) return;
  if (g_variant_n_children(answer) > 0) {
    GVariant *value = g_variant_get_child_value(answer, 0);
    tell(value);
    g_variant_unref(value);
  }
  g_variant_unref(answer);
}

static void setting_changed(GDBusConnection *connection, const char *sender, const char *path, const char *interface,
                            const char *signal, GVariant *parameters, gpointer data) {
  (void)connection, (void)sender, (void)path, (void)interface, (void)signal, (void)data;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ssv)"))) return;
  const char *group = NULL, *key = NULL;
  GVariant *value = NULL;
  g_variant_get(parameters, "(&s&sv)", &group, &key, &value);
  if (g_str_equal(group, appearance) && g_str_equal(key, color_scheme)) tell(value);
  g_variant_unref(value);
}

void matinee_follow_color_scheme(GApplication *application, void (*changed)(gboolean prefers_dark)) {
  GDBusConnection *bus = g_application_get_dbus_connection(application);
  if (!bus) return;
  scheme_changed = changed;
  // A later application may have another connection, when no other holds the first one.
  static GDBusConnection *followed = NULL;
  if (g_set_weak_pointer(&followed, bus)) {
    g_dbus_connection_signal_subscribe(bus, portal, settings, "SettingChanged", portal_path, appearance,
                                       G_DBUS_SIGNAL_FLAGS_NONE, setting_changed, NULL, NULL);
  }
  // A portal that does not run is not started for this: a desktop that uses it has it running.
  g_dbus_connection_call(bus, portal, portal_path, settings, "Read", g_variant_new("(ss)", appearance, color_scheme),
                         NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, 2000, NULL, answered, NULL);
}
