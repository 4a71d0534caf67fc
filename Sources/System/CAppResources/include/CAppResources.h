#ifndef MATINEE_CAPP_RESOURCES_H
#define MATINEE_CAPP_RESOURCES_H

#include <stddef.h>

/// The style sheet of the app, as UTF-8.
const unsigned char *_Nonnull matinee_style_sheet_start(void);
/// Its length in bytes.
extern const size_t matinee_style_sheet_size;

/// The app's icon, as SVG.
const unsigned char *_Nonnull matinee_brand_start(void);
/// Its length in bytes.
extern const size_t matinee_brand_size;

/// The app's own symbolic icons, as a GResource bundle.
const unsigned char *_Nonnull matinee_icons_start(void);
/// Its length in bytes.
extern const size_t matinee_icons_size;

#endif
