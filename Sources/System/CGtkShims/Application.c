#include "CGtkShims.h"

typedef struct {
  GtkApplication parent;
  gboolean lacks_display;
} MatineeApplication;

typedef struct {
  GtkApplicationClass parent;
} MatineeApplicationClass;

static GType matinee_application_get_type(void);
G_DEFINE_TYPE(MatineeApplication, matinee_application, GTK_TYPE_APPLICATION)

// GTK prepares GL when it connects to the display, also where GSK_RENDERER says that cairo draws: half of such a start, and memory for as
// long as the process runs. Not for children, which may want GL, and not where GTK no longer knows the word.
static gboolean connect_to_display(void) {
  gboolean leaves_gl = g_strcmp0(g_getenv("GSK_RENDERER"), "cairo") == 0 && !g_getenv("GDK_DEBUG") && gtk_get_minor_version() < 14;
  if (leaves_gl) g_setenv("GDK_DEBUG", "gl-disable", FALSE);
  gboolean connected = gtk_init_check() && gdk_display_get_default();
  if (leaves_gl) g_unsetenv("GDK_DEBUG");
  return connected;
}

static void startup(GApplication *application) {
  // Asked a second time, GTK says yes without a display too.
  if (connect_to_display()) {
    G_APPLICATION_CLASS(matinee_application_parent_class)->startup(application);
    return;
  }
  // GtkApplication would end the process here.
  ((MatineeApplication *)application)->lacks_display = TRUE;
  GApplicationClass *base = g_type_class_peek(G_TYPE_APPLICATION);
  base->startup(application);
}

static void open_arguments(GApplication *application, char **arguments) {
  guint count = g_strv_length(arguments);
  GFile **files = g_new0(GFile *, count + 1);
  for (guint index = 0; index < count; index++) files[index] = g_file_new_for_uri(arguments[index]);
  g_application_open(application, files, (gint)count, "");
  for (guint index = 0; index < count; index++) g_object_unref(files[index]);
  g_free(files);
}

static gboolean local_command_line(GApplication *application, char ***arguments, int *status) {
  GError *error = NULL;
  *status = 0;
  if (!g_application_register(application, NULL, &error)) {
    g_printerr("%s\n", error->message);
    g_error_free(error);
    *status = 1;
    return TRUE;
  }
  if (((MatineeApplication *)application)->lacks_display) {
    *status = 1;
    return TRUE;
  }
  char **uris = *arguments + (**arguments ? 1 : 0);
  if (*uris) {
    open_arguments(application, uris);
  } else if (!(g_application_get_flags(application) & G_APPLICATION_IS_SERVICE)) {
    g_application_activate(application);
  }
  return TRUE;
}

static void shutdown_application(GApplication *application) {
  if (((MatineeApplication *)application)->lacks_display) {
    GApplicationClass *base = g_type_class_peek(G_TYPE_APPLICATION);
    base->shutdown(application);
  } else {
    G_APPLICATION_CLASS(matinee_application_parent_class)->shutdown(application);
  }
}

static void matinee_application_class_init(MatineeApplicationClass *class) {
  GApplicationClass *application = G_APPLICATION_CLASS(class);
  application->startup = startup;
  application->local_command_line = local_command_line;
  application->shutdown = shutdown_application;
}

static void matinee_application_init(MatineeApplication *self) { (void)self; }

GtkApplication *matinee_application_new(const char *application_id, GApplicationFlags flags) {
  if (!g_application_id_is_valid(application_id)) return NULL;
  return g_object_new(matinee_application_get_type(), "application-id", application_id, "flags", flags, NULL);
}

gboolean matinee_application_lacks_display(GtkApplication *application) {
  return ((MatineeApplication *)application)->lacks_display;
}

char *matinee_file_uri(GFile *file) { return g_file_get_uri(file); }
