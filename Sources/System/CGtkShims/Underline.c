#include "CGtkShims.h"

// GTK's GL renderer before 4.14 fills a rectangle without antialiasing: one that is thinner than a pixel is drawn or left out by whether the
// middle of a pixel is in it. The lines beneath and through text are as thin as that in usual sizes, and where they stand differs from line
// to line of a text. So each is drawn once more, over the row of pixels that it is nearest to: where the renderer draws it, that is the same.

static void (*snapshot_label)(GtkWidget *, GtkSnapshot *);

typedef struct {
  gboolean under, through;
  GdkRGBA color;
} Lines;

static void set_color(GdkRGBA *color, const PangoAttribute *attribute) {
  PangoColor given = ((const PangoAttrColor *)attribute)->color;
  *color = (GdkRGBA){(float)given.red / 65535, (float)given.green / 65535, (float)given.blue / 65535, color->alpha};
}

static Lines lines_of(const PangoItem *item, GdkRGBA color) {
  Lines lines = {FALSE, FALSE, color};
  for (GSList *entry = item->analysis.extra_attrs; entry != NULL; entry = entry->next) {
    const PangoAttribute *attribute = entry->data;
    switch (attribute->klass->type) {
    case PANGO_ATTR_UNDERLINE: lines.under = ((const PangoAttrInt *)attribute)->value == PANGO_UNDERLINE_SINGLE; break;
    case PANGO_ATTR_STRIKETHROUGH: lines.through = ((const PangoAttrInt *)attribute)->value != 0; break;
    case PANGO_ATTR_FOREGROUND: set_color(&lines.color, attribute); break;
    default: break;
    }
  }
  return lines;
}

/// Covers the row of pixels that is nearest to a line, unless the line is as thick as one. Lengths are in Pango's units.
static void draw_line(GtkSnapshot *snapshot, int x, int width, int top, int thickness, graphene_point_t origin, int scale, GdkRGBA color) {
  double thick = (double)thickness / PANGO_SCALE * scale;
  if (thick >= 1) return;
  double middle = (origin.y + (double)top / PANGO_SCALE) * scale + thick / 2;
  float row = (float)(floor(middle) / scale);
  graphene_rect_t place = GRAPHENE_RECT_INIT(origin.x + (float)x / PANGO_SCALE, row, (float)width / PANGO_SCALE, 1.0f / (float)scale);
  gtk_snapshot_append_color(snapshot, &color, &place);
}

static void snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
  snapshot_label(widget, snapshot);
  PangoLayout *layout = gtk_label_get_layout(GTK_LABEL(widget));
  // Nearly all labels have no line.
  if (pango_layout_get_attributes(layout) == NULL) return;
  int x = 0, y = 0;
  gtk_label_get_layout_offsets(GTK_LABEL(widget), &x, &y);
  graphene_point_t origin = GRAPHENE_POINT_INIT((float)x, (float)y);
  int scale = gtk_widget_get_scale_factor(widget);
  GdkRGBA color;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  G_GNUC_END_IGNORE_DEPRECATIONS
  PangoLayoutIter *iterator = pango_layout_get_iter(layout);
  do {
    PangoLayoutRun *run = pango_layout_iter_get_run_readonly(iterator);
    if (run == NULL) continue;
    Lines lines = lines_of(run->item, color);
    if (!lines.under && !lines.through) continue;
    // As Pango does: a line beneath has the width of the text, one through it that of the letters.
    PangoRectangle ink, place;
    pango_layout_iter_get_run_extents(iterator, &ink, &place);
    int baseline = pango_layout_iter_get_run_baseline(iterator);
    PangoFontMetrics *metrics = pango_font_get_metrics(run->item->analysis.font, run->item->analysis.language);
    if (lines.under)
      draw_line(snapshot, place.x, place.width, baseline - pango_font_metrics_get_underline_position(metrics),
                pango_font_metrics_get_underline_thickness(metrics), origin, scale, lines.color);
    if (lines.through)
      draw_line(snapshot, ink.x, ink.width, baseline - pango_font_metrics_get_strikethrough_position(metrics),
                pango_font_metrics_get_strikethrough_thickness(metrics), origin, scale, lines.color);
    pango_font_metrics_unref(metrics);
  } while (pango_layout_iter_next_run(iterator));
  pango_layout_iter_free(iterator);
}

void matinee_labels_draw_thin_lines(void) {
  GtkWidgetClass *labels = g_type_class_ref(GTK_TYPE_LABEL);
  if (labels->snapshot == snapshot) return;
  snapshot_label = labels->snapshot;
  labels->snapshot = snapshot;
}
