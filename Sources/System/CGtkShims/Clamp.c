#include "CGtkShims.h"

typedef struct {
  GtkWidget parent;
  GtkWidget *child;
  GtkWidget *content;  // Within the child, which holds it.
  int max_width;
  int max_height;  // Of a child that scrolls its content.
  double ratio;
} MatineeClamp;

typedef struct {
  GtkWidgetClass parent;
} MatineeClampClass;

static GType matinee_clamp_get_type(void);
G_DEFINE_TYPE(MatineeClamp, matinee_clamp, GTK_TYPE_WIDGET)

static guint placed = 0;

static int width_within(MatineeClamp *clamp, int width) {
  return clamp->max_width > 0 && width > clamp->max_width ? clamp->max_width : width;
}

static GtkSizeRequestMode request_mode(GtkWidget *widget) {
  (void)widget;
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                    int *natural_baseline) {
  MatineeClamp *clamp = (MatineeClamp *)widget;
  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (!clamp->child || !gtk_widget_should_layout(clamp->child)) return;
  int child_minimum = 0, child_natural = 0;
  gtk_widget_measure(clamp->child, GTK_ORIENTATION_HORIZONTAL, -1, &child_minimum, &child_natural, NULL, NULL);
  // A frame of its own shape is as wide as it may be, whatever is in it now: pictures come later.
  if (clamp->ratio > 0 && clamp->max_width > 0) child_natural = clamp->max_width;
  int widest = MAX(child_minimum, width_within(clamp, child_natural));
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = child_minimum;
    *natural = widest;
    return;
  }
  // Without a width: what it needs at the widest that it will ever be, where lines wrap least.
  int width = for_size < 0 ? widest : MAX(child_minimum, width_within(clamp, for_size));
  if (clamp->ratio > 0) {
    *minimum = *natural = (int)(width / clamp->ratio + 0.5);
  } else {
    gtk_widget_measure(clamp->child, orientation, width, minimum, natural, NULL, NULL);
  }
  if (clamp->content) {
    int needed = 0;
    gtk_widget_measure(clamp->content, orientation, width, NULL, &needed, NULL, NULL);
    if (clamp->max_height > 0) needed = MIN(needed, clamp->max_height);
    *natural = MAX(*minimum, needed);
  }
}

static void allocate(GtkWidget *widget, int width, int height, int baseline) {
  (void)baseline;
  MatineeClamp *clamp = (MatineeClamp *)widget;
  if (!clamp->child || !gtk_widget_should_layout(clamp->child)) return;
  int minimum_width = 0, minimum_height = 0;
  gtk_widget_measure(clamp->child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum_width, NULL, NULL, NULL);
  int inner = MAX(minimum_width, width_within(clamp, width));
  // Every child is measured before it is placed, also one whose height the ratio gives.
  gtk_widget_measure(clamp->child, GTK_ORIENTATION_VERTICAL, inner, &minimum_height, NULL, NULL, NULL);
  GtkAllocation place = {MAX(0, (width - inner) / 2), 0, inner, MAX(height, minimum_height)};
  gtk_widget_size_allocate(clamp->child, &place, -1);
  if (clamp->ratio > 0) g_signal_emit(widget, placed, 0);
}

static void compute_expand(GtkWidget *widget, gboolean *horizontal, gboolean *vertical) {
  MatineeClamp *clamp = (MatineeClamp *)widget;
  *horizontal = clamp->child && gtk_widget_compute_expand(clamp->child, GTK_ORIENTATION_HORIZONTAL);
  *vertical = clamp->child && gtk_widget_compute_expand(clamp->child, GTK_ORIENTATION_VERTICAL);
}

static void dispose(GObject *object) {
  MatineeClamp *clamp = (MatineeClamp *)object;
  clamp->content = NULL;
  g_clear_pointer(&clamp->child, gtk_widget_unparent);
  G_OBJECT_CLASS(matinee_clamp_parent_class)->dispose(object);
}

static void matinee_clamp_class_init(MatineeClampClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  widget->get_request_mode = request_mode;
  widget->measure = measure;
  widget->size_allocate = allocate;
  widget->compute_expand = compute_expand;
  gtk_widget_class_set_css_name(widget, "clamp");
  placed = g_signal_new("placed", matinee_clamp_get_type(), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_accessible_role(widget, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void matinee_clamp_init(MatineeClamp *self) { (void)self; }

GtkWidget *matinee_clamp_new(int max_width, double ratio) {
  MatineeClamp *clamp = g_object_new(matinee_clamp_get_type(), NULL);
  clamp->max_width = max_width;
  clamp->ratio = ratio;
  return GTK_WIDGET(clamp);
}

void matinee_clamp_set_shape(GtkWidget *widget, int max_width, double ratio) {
  MatineeClamp *clamp = (MatineeClamp *)widget;
  if (clamp->max_width == max_width && clamp->ratio == ratio) return;
  clamp->max_width = max_width;
  clamp->ratio = ratio;
  gtk_widget_queue_resize(widget);
}

void matinee_clamp_set_child(GtkWidget *widget, GtkWidget *child) {
  MatineeClamp *clamp = (MatineeClamp *)widget;
  if (clamp->child == child) return;
  g_clear_pointer(&clamp->child, gtk_widget_unparent);
  clamp->child = child;
  if (child) gtk_widget_set_parent(child, widget);
}

void matinee_clamp_set_content(GtkWidget *widget, GtkWidget *content) { ((MatineeClamp *)widget)->content = content; }

void matinee_clamp_set_max_height(GtkWidget *widget, int max_height) { ((MatineeClamp *)widget)->max_height = max_height; }

void matinee_clamp_set_max_width(GtkWidget *widget, int max_width) {
  MatineeClamp *clamp = (MatineeClamp *)widget;
  if (clamp->max_width == max_width) return;
  clamp->max_width = max_width;
  gtk_widget_queue_resize(widget);
}
