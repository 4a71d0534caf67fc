#include "CAppResources.h"

// Files are compiled in by #embed, which clang offers before C23 too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char style_sheet[] = {
#embed "../../../Resources/ui/matinee.css"
};
const size_t matinee_style_sheet_size = sizeof style_sheet;
const unsigned char *matinee_style_sheet_start(void) { return style_sheet; }

static const unsigned char brand[] = {
#embed "../../../data/icons/app.matinee.Matinee.svg"
};
const size_t matinee_brand_size = sizeof brand;
const unsigned char *matinee_brand_start(void) { return brand; }

static const unsigned char icons[] = {
#embed "../../../Resources/ui/icons/icons.gresource"
};
const size_t matinee_icons_size = sizeof icons;
const unsigned char *matinee_icons_start(void) { return icons; }
