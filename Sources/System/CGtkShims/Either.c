#include "CGtkShims.h"

typedef struct {
  GtkWidget parent;
  GtkWidget *wide;
  GtkWidget *narrow;
} MatineeEither;

typedef struct {
  GtkWidgetClass parent;
} MatineeEitherClass;

static GType matinee_either_get_type(void);
G_DEFINE_TYPE(MatineeEither, matinee_either, GTK_TYPE_WIDGET)

static void measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                    int *natural_baseline) {
  MatineeEither *either = (MatineeEither *)widget;
  (void)for_size;
  *minimum_baseline = *natural_baseline = -1;
  int wide_minimum = 0, wide_natural = 0, narrow_minimum = 0, narrow_natural = 0;
  gtk_widget_measure(either->wide, orientation, -1, &wide_minimum, &wide_natural, NULL, NULL);
  gtk_widget_measure(either->narrow, orientation, -1, &narrow_minimum, &narrow_natural, NULL, NULL);
  // Room for either in height; in width the narrow one is enough, and the wide one would be nice.
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MIN(wide_minimum, narrow_minimum) : MAX(wide_minimum, narrow_minimum);
  *natural = MAX(*minimum, MAX(wide_natural, narrow_natural));
}

static void show(GtkWidget *child, gboolean shown, int width, int height) {
  gtk_widget_set_child_visible(child, shown);
  matinee_accessible_set_state(GTK_ACCESSIBLE(child), GTK_ACCESSIBLE_STATE_HIDDEN, !shown);
  int minimum = 0, natural = 0;
  // Every child is measured, also the one that is not placed.
  gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  if (!shown) return;
  int inner = MAX(minimum, MIN(width, natural));
  gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, inner, NULL, NULL, NULL, NULL);
  GtkAllocation place = {MAX(0, (width - inner) / 2), 0, inner, height};
  gtk_widget_size_allocate(child, &place, -1);
}

static void allocate(GtkWidget *widget, int width, int height, int baseline) {
  (void)baseline;
  MatineeEither *either = (MatineeEither *)widget;
  int needed = 0;
  gtk_widget_measure(either->wide, GTK_ORIENTATION_HORIZONTAL, -1, &needed, NULL, NULL, NULL);
  show(either->wide, width >= needed, width, height);
  show(either->narrow, width < needed, width, height);
}

static void dispose(GObject *object) {
  MatineeEither *either = (MatineeEither *)object;
  g_clear_pointer(&either->wide, gtk_widget_unparent);
  g_clear_pointer(&either->narrow, gtk_widget_unparent);
  G_OBJECT_CLASS(matinee_either_parent_class)->dispose(object);
}

static void matinee_either_class_init(MatineeEitherClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  widget->measure = measure;
  widget->size_allocate = allocate;
  gtk_widget_class_set_css_name(widget, "either");
  gtk_widget_class_set_accessible_role(widget, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void matinee_either_init(MatineeEither *self) { (void)self; }

GtkWidget *matinee_either_new(GtkWidget *wide, GtkWidget *narrow) {
  MatineeEither *either = g_object_new(matinee_either_get_type(), NULL);
  either->wide = wide;
  either->narrow = narrow;
  gtk_widget_set_parent(wide, GTK_WIDGET(either));
  gtk_widget_set_parent(narrow, GTK_WIDGET(either));
  return GTK_WIDGET(either);
}
