#pragma once
// What may be NULL is in CGio.apinotes.

#include <gio/gio.h>
