#include "CGtkShims.h"

typedef struct {
  GtkWidget parent;
  GtkWidget *child;
} MatineeSelection;

typedef struct {
  GtkWidgetClass parent;
} MatineeSelectionClass;

typedef struct {
  int start, end;
  char separator[];
} Share;

static GType matinee_selection_get_type(void);
G_DEFINE_TYPE(MatineeSelection, matinee_selection, GTK_TYPE_WIDGET)

static GQuark share_key(void) { return g_quark_from_static_string("matinee-selection"); }

static Share *share_of(GtkWidget *label) { return g_object_get_qdata(G_OBJECT(label), share_key()); }

void matinee_selection_share(GtkWidget *label, const char *separator) {
  size_t length = strlen(separator) + 1;
  Share *share = g_malloc0(sizeof(Share) + length);
  memcpy(share->separator, separator, length);
  g_object_set_qdata_full(G_OBJECT(label), share_key(), share, g_free);
}

const char *matinee_selection_separator(GtkWidget *label) {
  Share *share = share_of(label);
  return share ? share->separator : NULL;
}

void matinee_selection_set_range(GtkWidget *label, int start, int end) {
  Share *share = share_of(label);
  if (!share) return;
  share->start = start;
  share->end = end;
}

gboolean matinee_selection_get_range(GtkWidget *label, int *start, int *end) {
  Share *share = share_of(label);
  if (!share || share->start >= share->end) return FALSE;
  *start = share->start;
  *end = share->end;
  return TRUE;
}

// What is drawn of the label is cut off where a scroller around it ends.
static void clip_to_scroller(GtkWidget *area, GtkWidget *label, graphene_rect_t *clip) {
  graphene_rect_init(clip, 0, 0, gtk_widget_get_width(area), gtk_widget_get_height(area));
  for (GtkWidget *parent = gtk_widget_get_parent(label); parent && parent != area; parent = gtk_widget_get_parent(parent)) {
    graphene_rect_t bounds;
    if (GTK_IS_SCROLLED_WINDOW(parent) && gtk_widget_compute_bounds(parent, area, &bounds)) {
      graphene_rect_intersection(clip, &bounds, clip);
    }
  }
}

static void draw_range(GtkWidget *area, GtkWidget *label, GtkSnapshot *snapshot, const GdkRGBA *color) {
  int range[2], x = 0, y = 0;
  if (!matinee_selection_get_range(label, &range[0], &range[1])) return;
  graphene_point_t origin;
  if (!gtk_widget_compute_point(label, area, &GRAPHENE_POINT_INIT(0, 0), &origin)) return;
  gtk_label_get_layout_offsets(GTK_LABEL(label), &x, &y);
  graphene_rect_t clip, cut;
  clip_to_scroller(area, label, &clip);
  cairo_region_t *region =
      gdk_pango_layout_get_clip_region(gtk_label_get_layout(GTK_LABEL(label)), (int)origin.x + x, (int)origin.y + y, range, 1);
  for (int index = 0; index < cairo_region_num_rectangles(region); index++) {
    cairo_rectangle_int_t part;
    cairo_region_get_rectangle(region, index, &part);
    graphene_rect_t rect = GRAPHENE_RECT_INIT(part.x, part.y, part.width, part.height);
    if (graphene_rect_intersection(&rect, &clip, &cut)) gtk_snapshot_append_color(snapshot, color, &cut);
  }
  cairo_region_destroy(region);
}

static void draw_within(GtkWidget *area, GtkWidget *widget, GtkSnapshot *snapshot, const GdkRGBA *color) {
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
    if (!gtk_widget_get_mapped(child)) continue;
    if (share_of(child)) {
      draw_range(area, child, snapshot, color);
    } else {
      draw_within(area, child, snapshot, color);
    }
  }
}

static void snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
  GdkRGBA color = {0.2f, 0.5f, 0.9f, 1};
  gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), "theme_selected_bg_color", &color);
  // The text keeps its own color, links theirs.
  color.alpha = 0.35f;
  draw_within(widget, widget, snapshot, &color);
  GTK_WIDGET_CLASS(matinee_selection_parent_class)->snapshot(widget, snapshot);
}

static void dispose(GObject *object) {
  MatineeSelection *selection = (MatineeSelection *)object;
  g_clear_pointer(&selection->child, gtk_widget_unparent);
  G_OBJECT_CLASS(matinee_selection_parent_class)->dispose(object);
}

static void matinee_selection_class_init(MatineeSelectionClass *class) {
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  widget_class->snapshot = snapshot;
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void matinee_selection_init(MatineeSelection *selection) { (void)selection; }

GtkWidget *matinee_selection_new(GtkWidget *child) {
  MatineeSelection *selection = g_object_new(matinee_selection_get_type(), NULL);
  selection->child = child;
  gtk_widget_set_parent(child, GTK_WIDGET(selection));
  return GTK_WIDGET(selection);
}
