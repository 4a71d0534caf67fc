#include "CAppResources.h"

static const unsigned char style_sheet[] = {
#embed "../../../Resources/ui/matinee.css"
};
const size_t matinee_style_sheet_size = sizeof style_sheet;
const unsigned char *matinee_style_sheet_start(void) { return style_sheet; }
