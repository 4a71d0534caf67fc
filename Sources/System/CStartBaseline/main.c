// The least window that GTK opens, of the size that the app's has: what a start is measured against. It says "frame" once it is painted.

#include <gtk/gtk.h>
#include <stdio.h>

static void painted(GdkFrameClock *clock, gpointer data) {
  (void)clock;
  gboolean *said = data;
  if (*said) return;
  *said = TRUE;
  puts("frame");
  fflush(stdout);
}

static void activate(GtkApplication *application, gpointer data) {
  GtkWidget *window = gtk_application_window_new(application);
  gtk_window_set_title(GTK_WINDOW(window), "Baseline");
  gtk_window_set_default_size(GTK_WINDOW(window), 1000, 720);
  gtk_widget_realize(window);
  g_signal_connect(gtk_widget_get_frame_clock(window), "after-paint", G_CALLBACK(painted), data);
  gtk_window_present(GTK_WINDOW(window));
}

int main(int argc, char **argv) {
  gboolean said = FALSE;
  GtkApplication *application = gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
  g_signal_connect(application, "activate", G_CALLBACK(activate), &said);
  int status = g_application_run(G_APPLICATION(application), argc, argv);
  g_object_unref(application);
  return status;
}
