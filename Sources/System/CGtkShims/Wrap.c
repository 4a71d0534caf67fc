#include "CGtkShims.h"

typedef struct {
  GtkWidget parent;
  GtkWidget *first;
  GtkWidget *second;
  int least;
  int spacing;
  gboolean shrinks;  // The second gives up width before it goes below.
} MatineeWrap;

typedef struct {
  GtkWidgetClass parent;
} MatineeWrapClass;

static GType matinee_wrap_get_type(void);
G_DEFINE_TYPE(MatineeWrap, matinee_wrap, GTK_TYPE_WIDGET)

typedef struct {
  int first_minimum, first_natural, second_minimum, second_natural;
} Widths;

static gboolean is_shown(GtkWidget *child) { return gtk_widget_should_layout(child); }

static Widths widths(MatineeWrap *wrap) {
  Widths wide = {0, 0, 0, 0};
  if (is_shown(wrap->first)) {
    gtk_widget_measure(wrap->first, GTK_ORIENTATION_HORIZONTAL, -1, &wide.first_minimum, &wide.first_natural, NULL, NULL);
  }
  if (is_shown(wrap->second)) {
    gtk_widget_measure(wrap->second, GTK_ORIENTATION_HORIZONTAL, -1, &wide.second_minimum, &wide.second_natural, NULL, NULL);
  }
  return wide;
}

// What the first one wants of a line that it shares.
static int wanted(MatineeWrap *wrap, Widths wide) {
  return wrap->least > 0 ? MAX(wide.first_minimum, MIN(wrap->least, wide.first_natural)) : wide.first_natural;
}

static int second_wanted(MatineeWrap *wrap, Widths wide) { return wrap->shrinks ? wide.second_minimum : wide.second_natural; }

// Of a line that is shared; one that shrinks takes what the first leaves.
static int second_width(MatineeWrap *wrap, Widths wide, int width) {
  if (!wrap->shrinks) return wide.second_natural;
  int rest = width - wrap->spacing - MIN(wide.first_natural, width - wrap->spacing - wide.second_minimum);
  return MAX(wide.second_minimum, MIN(rest, wide.second_natural));
}

static gboolean is_shared(MatineeWrap *wrap, Widths wide, int width) {
  return width >= wanted(wrap, wide) + wrap->spacing + second_wanted(wrap, wide);
}

static int below_width(MatineeWrap *wrap, Widths wide, int width) {
  return gtk_widget_compute_expand(wrap->second, GTK_ORIENTATION_HORIZONTAL) ? width : MIN(width, wide.second_natural);
}

static int height(GtkWidget *child, int width, int *natural) {
  int minimum = 0;
  *natural = 0;
  if (is_shown(child)) gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, width, &minimum, natural, NULL, NULL);
  return minimum;
}

static GtkSizeRequestMode request_mode(GtkWidget *widget) {
  (void)widget;
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                    int *natural_baseline) {
  MatineeWrap *wrap = (MatineeWrap *)widget;
  *minimum_baseline = *natural_baseline = -1;
  Widths wide = widths(wrap);
  gboolean are_both = is_shown(wrap->first) && is_shown(wrap->second);
  int spacing = are_both ? wrap->spacing : 0;
  int widest = wide.first_natural + spacing + wide.second_natural;
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = MAX(wide.first_minimum, wide.second_minimum);
    *natural = widest;
    return;
  }
  int width = for_size < 0 ? widest : for_size;
  int first_natural = 0, second_natural = 0;
  if (!are_both || is_shared(wrap, wide, width)) {
    int beside = are_both ? second_width(wrap, wide, width) : width;
    int first = height(wrap->first, are_both ? width - spacing - beside : width, &first_natural);
    int second = height(wrap->second, beside, &second_natural);
    *minimum = MAX(first, second);
    *natural = MAX(first_natural, second_natural);
  } else {
    int first = height(wrap->first, width, &first_natural);
    int second = height(wrap->second, below_width(wrap, wide, width), &second_natural);
    *minimum = first + spacing + second;
    *natural = first_natural + spacing + second_natural;
  }
}

static void place(MatineeWrap *wrap, GtkWidget *child, int x, int y, int width, int height, int room) {
  if (gtk_widget_get_direction(GTK_WIDGET(wrap)) == GTK_TEXT_DIR_RTL) x = room - x - width;
  GtkAllocation place = {x, y, width, height};
  gtk_widget_size_allocate(child, &place, -1);
}

static void allocate(GtkWidget *widget, int width, int full, int baseline) {
  (void)baseline;
  MatineeWrap *wrap = (MatineeWrap *)widget;
  Widths wide = widths(wrap);
  if (!is_shown(wrap->first) || !is_shown(wrap->second)) {
    GtkWidget *only = is_shown(wrap->first) ? wrap->first : wrap->second;
    if (is_shown(only)) place(wrap, only, 0, 0, width, full, width);
    return;
  }
  int natural = 0;
  if (is_shared(wrap, wide, width)) {
    int rest = width - wrap->spacing - second_width(wrap, wide, width);
    // What would like less leaves the other what is left; one that expands takes it all.
    int first = wrap->least > 0 ? rest : MIN(rest, wide.first_natural);
    int second = width - wrap->spacing - first;
    height(wrap->first, first, &natural);
    height(wrap->second, second, &natural);
    place(wrap, wrap->first, 0, 0, first, full, width);
    place(wrap, wrap->second, first + wrap->spacing, 0, second, full, width);
  } else {
    int narrow = below_width(wrap, wide, width);
    int below = height(wrap->second, narrow, &natural);
    height(wrap->first, width, &natural);
    place(wrap, wrap->first, 0, 0, width, full - wrap->spacing - below, width);
    place(wrap, wrap->second, 0, full - below, narrow, below, width);
  }
}

static void compute_expand(GtkWidget *widget, gboolean *horizontal, gboolean *vertical) {
  MatineeWrap *wrap = (MatineeWrap *)widget;
  *horizontal = gtk_widget_compute_expand(wrap->first, GTK_ORIENTATION_HORIZONTAL)
                || gtk_widget_compute_expand(wrap->second, GTK_ORIENTATION_HORIZONTAL);
  *vertical = gtk_widget_compute_expand(wrap->first, GTK_ORIENTATION_VERTICAL)
              || gtk_widget_compute_expand(wrap->second, GTK_ORIENTATION_VERTICAL);
}

static void dispose(GObject *object) {
  MatineeWrap *wrap = (MatineeWrap *)object;
  g_clear_pointer(&wrap->first, gtk_widget_unparent);
  g_clear_pointer(&wrap->second, gtk_widget_unparent);
  G_OBJECT_CLASS(matinee_wrap_parent_class)->dispose(object);
}

static void matinee_wrap_class_init(MatineeWrapClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  widget->get_request_mode = request_mode;
  widget->measure = measure;
  widget->size_allocate = allocate;
  widget->compute_expand = compute_expand;
  gtk_widget_class_set_css_name(widget, "wrap");
  gtk_widget_class_set_accessible_role(widget, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void matinee_wrap_init(MatineeWrap *self) { (void)self; }

GtkWidget *matinee_wrap_new(GtkWidget *first, GtkWidget *second, int least, int spacing, gboolean shrinks) {
  MatineeWrap *wrap = g_object_new(matinee_wrap_get_type(), NULL);
  wrap->first = first;
  wrap->second = second;
  wrap->least = least;
  wrap->spacing = spacing;
  wrap->shrinks = shrinks;
  gtk_widget_set_parent(first, GTK_WIDGET(wrap));
  gtk_widget_set_parent(second, GTK_WIDGET(wrap));
  return GTK_WIDGET(wrap);
}
