#include "CGtkShims.h"

// GtkRevealer is not used: it sizes a child that fills it by the height that is left ÷ progress, near the end of a transition tens of
// thousands of pixels, for which GTK's GL renderer has no texture. Here the child keeps its size and is moved.

typedef struct {
  GtkWidget parent;
  GtkWidget *child;
  gboolean from_top;
  gboolean shown;
  double progress;  // 0: out of sight, 1: in its place.
  gint64 started;   // Frame time at which the transition began, 0: with the next frame.
  double start_progress;
  guint tick;
} MatineeSlide;

typedef struct {
  GtkWidgetClass parent;
} MatineeSlideClass;

static GType matinee_slide_get_type(void);
G_DEFINE_TYPE(MatineeSlide, matinee_slide, GTK_TYPE_WIDGET)

// Microseconds. The lift of the curtain has 250,000, with the first frame, which makes the rows, and the first one behind the end.
static const double duration = 160000;

static void measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                    int *natural_baseline) {
  MatineeSlide *slide = (MatineeSlide *)widget;
  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (slide->child && gtk_widget_should_layout(slide->child)) {
    gtk_widget_measure(slide->child, orientation, for_size, minimum, natural, NULL, NULL);
  }
}

static GtkSizeRequestMode request_mode(GtkWidget *widget) {
  MatineeSlide *slide = (MatineeSlide *)widget;
  return slide->child ? gtk_widget_get_request_mode(slide->child) : GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

static void allocate(GtkWidget *widget, int width, int height, int baseline) {
  (void)baseline;
  MatineeSlide *slide = (MatineeSlide *)widget;
  if (!slide->child || !gtk_widget_should_layout(slide->child)) return;
  double hidden = (1 - slide->progress) * height;
  graphene_point_t offset = GRAPHENE_POINT_INIT(0, (float)(slide->from_top ? -hidden : hidden));
  gtk_widget_allocate(slide->child, width, height, -1, gsk_transform_translate(NULL, &offset));
}

// Stops at the end, with the child out of the window's layout when it is out of sight.
static void move_to(MatineeSlide *slide, double progress) {
  slide->progress = progress;
  if (slide->child) gtk_widget_set_child_visible(slide->child, progress > 0);
  gtk_widget_queue_allocate(GTK_WIDGET(slide));
}

static void stop(MatineeSlide *slide) {
  if (slide->tick) gtk_widget_remove_tick_callback(GTK_WIDGET(slide), slide->tick);
  slide->tick = 0;
}

// GTK's own transitions take so many times as long, for a developer who wants to see each of their frames.
static double slowdown(void) {
  const char *text = g_getenv("GTK_SLOWDOWN");
  double factor = text ? g_ascii_strtod(text, NULL) : 1;
  return factor > 0 ? factor : 1;
}

static gboolean tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
  (void)data;
  MatineeSlide *slide = (MatineeSlide *)widget;
  gint64 now = gdk_frame_clock_get_frame_time(clock);
  if (slide->started == 0) slide->started = now;
  double part = MIN(1, (double)(now - slide->started) / (duration * slowdown()));
  double eased = 1 - (1 - part) * (1 - part) * (1 - part);
  double end = slide->shown ? 1 : 0;
  move_to(slide, part < 1 ? slide->start_progress + (end - slide->start_progress) * eased : end);
  if (part < 1) return G_SOURCE_CONTINUE;
  slide->tick = 0;
  return G_SOURCE_REMOVE;
}

static gboolean animations(GtkWidget *widget) {
  gboolean enabled = FALSE;
  g_object_get(gtk_widget_get_settings(widget), "gtk-enable-animations", &enabled, NULL);
  return enabled;
}

// What is out of sight needs no frames.
static void unmap(GtkWidget *widget) {
  MatineeSlide *slide = (MatineeSlide *)widget;
  stop(slide);
  move_to(slide, slide->shown ? 1 : 0);
  GTK_WIDGET_CLASS(matinee_slide_parent_class)->unmap(widget);
}

static void compute_expand(GtkWidget *widget, gboolean *horizontal, gboolean *vertical) {
  MatineeSlide *slide = (MatineeSlide *)widget;
  *horizontal = slide->child && gtk_widget_compute_expand(slide->child, GTK_ORIENTATION_HORIZONTAL);
  *vertical = slide->child && gtk_widget_compute_expand(slide->child, GTK_ORIENTATION_VERTICAL);
}

static void dispose(GObject *object) {
  stop((MatineeSlide *)object);
  g_clear_pointer(&((MatineeSlide *)object)->child, gtk_widget_unparent);
  G_OBJECT_CLASS(matinee_slide_parent_class)->dispose(object);
}

static void matinee_slide_class_init(MatineeSlideClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  widget->measure = measure;
  widget->get_request_mode = request_mode;
  widget->size_allocate = allocate;
  widget->compute_expand = compute_expand;
  widget->unmap = unmap;
  gtk_widget_class_set_css_name(widget, "slide");
  gtk_widget_class_set_accessible_role(widget, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void matinee_slide_init(MatineeSlide *self) { gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN); }

GtkWidget *matinee_slide_new(GtkWidget *child, gboolean from_top) {
  MatineeSlide *slide = g_object_new(matinee_slide_get_type(), NULL);
  slide->child = child;
  slide->from_top = from_top;
  gtk_widget_set_child_visible(child, FALSE);
  gtk_widget_set_parent(child, GTK_WIDGET(slide));
  return GTK_WIDGET(slide);
}

gboolean matinee_slide_is_shown(GtkWidget *widget) { return ((MatineeSlide *)widget)->shown; }

void matinee_slide_set_shown(GtkWidget *widget, gboolean shown) {
  MatineeSlide *slide = (MatineeSlide *)widget;
  if (slide->shown == shown) return;
  slide->shown = shown;
  stop(slide);
  if (!gtk_widget_get_mapped(widget) || !animations(widget)) return move_to(slide, shown ? 1 : 0);
  slide->started = 0;
  slide->start_progress = slide->progress;
  slide->tick = gtk_widget_add_tick_callback(widget, tick, NULL, NULL);
}

gboolean matinee_slide_is_moving(GtkWidget *widget) {
  return G_TYPE_CHECK_INSTANCE_TYPE(widget, matinee_slide_get_type()) && ((MatineeSlide *)widget)->tick != 0;
}
