#include "CAppResources.h"

const unsigned char matinee_style_sheet[] = {
#embed "../../../Resources/ui/matinee.css"
};
const size_t matinee_style_sheet_size = sizeof matinee_style_sheet;
