#ifndef MATINEE_CGTK_H
#define MATINEE_CGTK_H

// What is newer than these versions is hidden and what they deprecate later is silent, so that a newer GTK builds the same code.
#define GLIB_VERSION_MIN_REQUIRED GLIB_VERSION_2_72
#define GDK_VERSION_MIN_REQUIRED GDK_VERSION_4_8

#include <glib-unix.h>
#include <gtk/gtk.h>

#endif
