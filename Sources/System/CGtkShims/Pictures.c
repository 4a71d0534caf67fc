#include "CGtkShims.h"
#include <math.h>
#include <string.h>

/// A picture that claims more pixels than this is refused: its header may lie, its memory would not.
static const int64_t most_pixels = 50 * 1000 * 1000;
/// A long picture that is shown whole is scaled down to this many pixels: the cache has room for no more.
static const double most_shown = 8e6;

typedef struct {
  int width, height;
  gboolean drawings;
  gboolean refused, too_large;
} Sizing;

/// Whether it is text as SVG is, or compressed as SVG may be.
static gboolean may_be_drawing(const uint8_t *bytes, size_t count) {
  static const uint8_t mark[] = {0xEF, 0xBB, 0xBF};
  size_t place = count >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;
  while (place < count && g_ascii_isspace(bytes[place])) place += 1;
  return (place < count && bytes[place] == '<') || (count >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B);
}

static void choose_size(GdkPixbufLoader *loader, int width, int height, gpointer data) {
  Sizing *sizing = data;
  GdkPixbufFormat *format = gdk_pixbuf_loader_get_format(loader);
  gboolean is_drawing = format && gdk_pixbuf_format_is_scalable(format);
  sizing->too_large = (int64_t)width * height > most_pixels;
  if (sizing->too_large || (is_drawing && !sizing->drawings)) {
    sizing->refused = TRUE;
    gdk_pixbuf_loader_set_size(loader, 0, 0);
    return;
  }
  if (sizing->width <= 0) return;
  double covers = MAX((double)sizing->width / width, (double)sizing->height / height);
  // Of a picture much longer than its place nearly all would be cut off.
  double factor = sizing->height > 0 ? MIN(covers, 4.0 * MAX(sizing->width, sizing->height) / MAX(width, height))
                                     : MIN(covers, sqrt(most_shown / ((double)width * height)));
  if (factor >= 1) return;
  gdk_pixbuf_loader_set_size(loader, MAX(1, (int)lround(width * factor)), MAX(1, (int)lround(height * factor)));
}

/// Where a decoded texture has the pixels that it shares.
static GQuark pixels(void) { return g_quark_from_static_string("matinee-pixels"); }

GdkTexture *matinee_texture_decode(const uint8_t *bytes, size_t count, int width, int height, gboolean drawings, gboolean *too_large) {
  *too_large = FALSE;
  if (!bytes || count == 0 || (!drawings && may_be_drawing(bytes, count))) return NULL;
  GdkPixbufLoader *loader = gdk_pixbuf_loader_new();
  Sizing sizing = {width, height, drawings, FALSE, FALSE};
  g_signal_connect(loader, "size-prepared", G_CALLBACK(choose_size), &sizing);
  gboolean written = gdk_pixbuf_loader_write(loader, bytes, count, NULL);
  // A loader has to be closed also after an error.
  gboolean closed = gdk_pixbuf_loader_close(loader, NULL);
  *too_large = sizing.too_large;
  GdkPixbuf *pixbuf = written && closed && !sizing.refused ? gdk_pixbuf_loader_get_pixbuf(loader) : NULL;
  GdkTexture *texture = NULL;
  if (pixbuf) {
    GdkPixbuf *upright = gdk_pixbuf_apply_embedded_orientation(pixbuf);
    if (upright) {
      texture = gdk_texture_new_for_pixbuf(upright);
      g_object_set_qdata_full(G_OBJECT(texture), pixels(), upright, g_object_unref);
    }
  }
  g_object_unref(loader);
  return texture;
}

GdkTexture *matinee_texture_share(GdkTexture *texture) {
  GdkPixbuf *decoded = g_object_get_qdata(G_OBJECT(texture), pixels());
  return decoded ? gdk_texture_new_for_pixbuf(decoded) : g_object_ref(texture);
}

GdkTexture *matinee_widget_render(GtkWidget *widget, double scale) {
  int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  GtkNative *native = gtk_widget_get_native(widget);
  GskRenderer *renderer = native ? gtk_native_get_renderer(native) : NULL;
  if (width <= 0 || height <= 0 || scale <= 0 || !renderer) return NULL;
  GdkPaintable *paintable = gtk_widget_paintable_new(widget);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  gtk_snapshot_scale(snapshot, (float)scale, (float)scale);
  gdk_paintable_snapshot(paintable, snapshot, width, height);
  GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
  GdkTexture *texture = NULL;
  if (node) {
    graphene_rect_t area = GRAPHENE_RECT_INIT(0, 0, (float)(width * scale), (float)(height * scale));
    texture = gsk_renderer_render_texture(renderer, node, &area);
    gsk_render_node_unref(node);
  }
  g_object_unref(paintable);
  return texture;
}
