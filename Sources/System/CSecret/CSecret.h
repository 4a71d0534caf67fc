#ifndef MATINEE_CSECRET_H
#define MATINEE_CSECRET_H

// The same floor as CGtk's: what is newer is hidden, and what is deprecated later is silent.
#ifndef GLIB_VERSION_MIN_REQUIRED
#define GLIB_VERSION_MIN_REQUIRED GLIB_VERSION_2_72
#endif

#include <libsecret/secret.h>

#endif
