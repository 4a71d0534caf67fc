#ifndef MATINEE_CGTK_SHIMS_H
#define MATINEE_CGTK_SHIMS_H

#include "../../CGtk/CGtk.h"
#include <stdint.h>

// Main loop

/// Drains the Dispatch main queue from GLib's default context. Asking twice attaches once. False when Dispatch gives no descriptor.
gboolean matinee_main_queue_attach(void);
/// How often the main queue woke GLib's loop since the process began.
uint64_t matinee_main_queue_wakeups(void);

// Application

/// An application that takes its arguments as URIs, unchanged, and reads no options of its own.
GtkApplication *_Nullable matinee_application_new(const char *_Nonnull application_id, GApplicationFlags flags);
/// Whether the start failed because there is no display.
gboolean matinee_application_lacks_display(GtkApplication *_Nonnull application);
/// The URI of a file, to be released with `g_free`.
char *_Nullable matinee_file_uri(GFile *_Nonnull file);

/// Tells whether the desktop prefers a dark look: once it is known, and when it changes. Says nothing where no portal runs.
void matinee_follow_color_scheme(GApplication *_Nonnull application, void (*_Nonnull changed)(gboolean prefers_dark));

/// Asks the desktop's portal to open a new mail. `ended` is told once whether it was opened, or the person did not want to. FALSE without a
/// session bus, and then `ended` is not called.
gboolean matinee_compose_mail(GApplication *_Nonnull application, const char *_Nonnull subject, const char *_Nonnull body,
                              void (*_Nonnull ended)(gboolean opened, void *_Nonnull data), void *_Nonnull data);

// Text

/// Has all labels draw lines beneath and through their text that are thinner than a pixel over a whole one. Asking twice does it once.
void matinee_labels_draw_thin_lines(void);

// Lists

typedef struct {
  uint32_t (*_Nonnull count)(void *_Nonnull source);
  /// A new reference to the item at a position: the one that lives for what stands there, or else a new one.
  void *_Nullable (*_Nonnull item_at)(void *_Nonnull source, uint32_t position);
  /// The item of an entry is gone.
  void (*_Nonnull item_gone)(void *_Nonnull source, void *_Nonnull entry);
  /// The model is gone.
  void (*_Nonnull released)(void *_Nonnull source);
} MatineeListSource;

/// A list model that asks for an item when a row needs it, and knows none.
GListModel *_Nonnull matinee_list_model_new(MatineeListSource source, void *_Nonnull data);
/// An item of a model, which it keeps alive, that stands for an entry.
void *_Nonnull matinee_list_item_new(GListModel *_Nonnull model, void *_Nonnull entry);
/// What it stands for.
void *_Nonnull matinee_list_item_entry(const void *_Nonnull item);

// Tooltips

/// The text that shows when the pointer rests on a widget. `gtk_widget_set_tooltip_text` asks the X server at once where the pointer is,
/// in four round trips: two milliseconds for a row with four buttons.
void matinee_widget_set_tooltip(GtkWidget *_Nonnull widget, const char *_Nullable text);
const char *_Nullable matinee_widget_tooltip(GtkWidget *_Nonnull widget);

// Layout

/// A container of one child that is never wider than `max_width` (0: any) and, when `ratio` is above 0, `width / ratio` high. The latter
/// tells by the signal `placed`, in the middle of a layout, that it was given its place.
GtkWidget *_Nonnull matinee_clamp_new(int max_width, double ratio);

/// Gives a clamp another width and ratio.
void matinee_clamp_set_shape(GtkWidget *_Nonnull widget, int max_width, double ratio);
void matinee_clamp_set_child(GtkWidget *_Nonnull clamp, GtkWidget *_Nullable child);
/// Makes it as high as `content`, which is within the child, would like to be; a scrolled child never asks what its lines need at a width.
void matinee_clamp_set_content(GtkWidget *_Nonnull clamp, GtkWidget *_Nonnull content);
void matinee_clamp_set_max_height(GtkWidget *_Nonnull clamp, int max_height);
void matinee_clamp_set_max_width(GtkWidget *_Nonnull clamp, int max_width);
/// Two children for the same place: the wide one is shown where it fits, else the narrow one.
GtkWidget *_Nonnull matinee_either_new(GtkWidget *_Nonnull wide, GtkWidget *_Nonnull narrow);
/// A container of one child that draws what is selected of the labels in it, below their text. Those that share in it were given to
/// `matinee_selection_share`.
GtkWidget *_Nonnull matinee_selection_new(GtkWidget *_Nonnull child);
/// `separator` stands between this label's text and the text before it, when both are copied.
void matinee_selection_share(GtkWidget *_Nonnull label, const char *_Nonnull separator);
/// NULL for a label that does not share.
const char *_Nullable matinee_selection_separator(GtkWidget *_Nonnull label);
/// In bytes of the text; nothing when both are the same. The container has to be drawn again.
void matinee_selection_set_range(GtkWidget *_Nonnull label, int start, int end);
/// FALSE when nothing of the label is selected.
gboolean matinee_selection_get_range(GtkWidget *_Nonnull label, int *_Nonnull start, int *_Nonnull end);
/// The direction of the first letter that has one; GTK_TEXT_DIR_NONE without any.
GtkTextDirection matinee_text_direction(const char *_Nonnull text);
/// A GtkOverlay in which what lies above its child has as much of the room as its alignment wants.
GtkWidget *_Nonnull matinee_overlay_new(void);
/// Two children beside each other where the first has `least` pixels then (0: the width that it would like), else the second below it.
GtkWidget *_Nonnull matinee_wrap_new(GtkWidget *_Nonnull first, GtkWidget *_Nonnull second, int least, int spacing,
                                      gboolean shrinks);
/// A vertical GtkBox that draws stripes beneath its children: columns of equal width, and above them rows of equal height. All are
/// rectangles of one color, the only kind that every renderer draws at once.
GtkWidget *_Nonnull matinee_stripes_new(
  const GdkRGBA *_Nonnull columns, unsigned column_count, const GdkRGBA *_Nonnull rows, unsigned row_count);
/// A child that slides into its place, from above or from below, and out of sight again, within 250 ms. Its size never changes.
GtkWidget *_Nonnull matinee_slide_new(GtkWidget *_Nonnull child, gboolean from_top);
gboolean matinee_slide_is_shown(GtkWidget *_Nonnull slide);
void matinee_slide_set_shown(GtkWidget *_Nonnull slide, gboolean shown);
// Whether a widget, of any kind, is such a child on its way.
gboolean matinee_slide_is_moving(GtkWidget *_Nonnull widget);

// Pictures

/// Decodes a picture; a larger one is scaled down while it is decoded, as far as it covers a place of `width` × `height` pixels (0: never).
/// With a height of 0 it is as wide as the place, and all of it is shown.
/// NULL when the bytes are no picture, a drawing (SVG) and `drawings` is false, or a picture of more pixels than are decoded, which it then
/// says in `too_large`. May run on any thread.
GdkTexture *_Nullable matinee_texture_decode(
  const uint8_t *_Nullable bytes, size_t count, int width, int height, gboolean drawings, gboolean *_Nonnull too_large);
/// Another texture of the same pixels, for one place where it is shown: a renderer keeps its own copy of them for as long as the texture that
/// it drew lives. The texture itself where it was not decoded.
GdkTexture *_Nonnull matinee_texture_share(GdkTexture *_Nonnull texture);
/// Draws a widget at its present size, `scale` pixels to a unit. NULL when it has no size or nothing to draw.
GdkTexture *_Nullable matinee_widget_render(GtkWidget *_Nonnull widget, double scale);

// Memory

/// Lets threads share two heaps: otherwise each gets one of its own, which keeps what it once needed. Before the first thread is made.
void matinee_share_heaps(void);
/// Gives back what is free in the heaps, and the program's own code: the kernel maps again from its cache what runs, and not the two thirds
/// that ran only at the start.
void matinee_trim_memory(void);

// Variadic functions and macros

void matinee_object_set_boolean(void *_Nonnull object, const char *_Nonnull property, gboolean value);
int matinee_object_get_int(void *_Nonnull object, const char *_Nonnull property);
/// The caller frees it.
char *_Nullable matinee_object_get_string(void *_Nonnull object, const char *_Nonnull property);
gboolean matinee_object_get_boolean(void *_Nonnull object, const char *_Nonnull property);
void matinee_object_set_string(void *_Nonnull object, const char *_Nonnull property, const char *_Nullable value);
void matinee_widget_set_role(GtkWidget *_Nonnull widget, GtkAccessibleRole role);
/// A state that is on, off or undefined. What type of value such a state wants as a `GValue` differs from its own documentation.
void matinee_accessible_set_state(GtkAccessible *_Nonnull accessible, GtkAccessibleState state, int value);
void matinee_emit(void *_Nonnull object, const char *_Nonnull signal);
/// Whether `object` is of a type or of one derived from it.
gboolean matinee_is_a(const void *_Nonnull object, GType type);

#endif
