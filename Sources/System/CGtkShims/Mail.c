#include "CGtkShims.h"

// org.freedesktop.portal.Email (xdg-desktop-portal): the call answers with the path of a request, whose signal says what became of it.
static const char *const portal = "org.freedesktop.portal.Desktop";

typedef struct {
  GDBusConnection *bus;
  guint subscription;
  void (*ended)(gboolean opened, void *data);
  void *data;
} Mail;

static void clear(gpointer mail) { g_object_unref(((Mail *)mail)->bus); }

static void release(gpointer mail) { g_rc_box_release_full(mail, clear); }

static void end(Mail *mail, gboolean opened) {
  void (*ended)(gboolean opened, void *data) = mail->ended;
  mail->ended = NULL;
  if (ended) ended(opened, mail->data);
  guint subscription = mail->subscription;
  mail->subscription = 0;
  if (subscription) g_dbus_connection_signal_unsubscribe(mail->bus, subscription);
}

static void responded(GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *signal,
                      GVariant *parameters, gpointer data) {
  (void)bus, (void)sender, (void)path, (void)interface, (void)signal;
  guint32 code = 2;
  if (g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ua{sv})"))) g_variant_get_child(parameters, 0, "u", &code);
  // 1: the person does not want to, after all.
  end(data, code != 2);
}

static void answered(GObject *source, GAsyncResult *result, gpointer data) {
  GVariant *answer = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
  if (answer) g_variant_unref(answer);
  if (!answer) end(data, FALSE);
  release(data);
}

gboolean matinee_compose_mail(GApplication *application, const char *subject, const char *body,
                              void (*ended)(gboolean opened, void *data), void *data) {
  static guint count = 0;
  GDBusConnection *bus = g_application_get_dbus_connection(application);
  const char *name = bus ? g_dbus_connection_get_unique_name(bus) : NULL;
  if (!name) return FALSE;
  char *token = g_strdup_printf("matinee%u", ++count);
  char *sender = g_strdelimit(g_strdup(name + 1), ".", '_');
  char *path = g_strdup_printf("/org/freedesktop/portal/desktop/request/%s/%s", sender, token);
  // One reference for the subscription, one for the call.
  Mail *mail = g_rc_box_acquire(g_rc_box_new0(Mail));
  *mail = (Mail){.bus = g_object_ref(bus), .ended = ended, .data = data};
  // Before the call: the answer may come with the signal.
  mail->subscription =
      g_dbus_connection_signal_subscribe(bus, portal, "org.freedesktop.portal.Request", "Response", path, NULL,
                                         G_DBUS_SIGNAL_FLAGS_NONE, responded, mail, release);
  GVariantBuilder options;
  g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&options, "{sv}", "handle_token", g_variant_new_string(token));
  g_variant_builder_add(&options, "{sv}", "subject", g_variant_new_string(subject));
  g_variant_builder_add(&options, "{sv}", "body", g_variant_new_string(body));
  g_dbus_connection_call(bus, portal, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Email", "ComposeEmail",
                         g_variant_new("(sa{sv})", "", &options), NULL, G_DBUS_CALL_FLAGS_NONE, 5000, NULL, answered, mail);
  g_free(token);
  g_free(sender);
  g_free(path);
  return TRUE;
}
