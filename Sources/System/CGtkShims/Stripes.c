#include "CGtkShims.h"

typedef struct {
  GtkBox parent;
  GdkRGBA *columns, *rows;
  unsigned column_count, row_count;
} MatineeStripes;

typedef struct {
  GtkBoxClass parent;
} MatineeStripesClass;

static GType matinee_stripes_get_type(void);
G_DEFINE_TYPE(MatineeStripes, matinee_stripes, GTK_TYPE_BOX)

// From whole pixel to whole pixel: an edge between two would be drawn twice, half seen.
static int edge(int length, unsigned index, unsigned count) { return (int)((int64_t)length * index / count); }

static void snapshot(GtkWidget *widget, GtkSnapshot *shot) {
  MatineeStripes *stripes = (MatineeStripes *)widget;
  int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  for (unsigned i = 0; i < stripes->column_count; i++) {
    int start = edge(width, i, stripes->column_count), end = edge(width, i + 1, stripes->column_count);
    if (end > start) gtk_snapshot_append_color(shot, &stripes->columns[i], &GRAPHENE_RECT_INIT(start, 0, end - start, height));
  }
  for (unsigned i = 0; i < stripes->row_count; i++) {
    int start = edge(height, i, stripes->row_count), end = edge(height, i + 1, stripes->row_count);
    if (end > start && stripes->rows[i].alpha > 0)
      gtk_snapshot_append_color(shot, &stripes->rows[i], &GRAPHENE_RECT_INIT(0, start, width, end - start));
  }
  GTK_WIDGET_CLASS(matinee_stripes_parent_class)->snapshot(widget, shot);
}

static void finalize(GObject *object) {
  MatineeStripes *stripes = (MatineeStripes *)object;
  g_free(stripes->columns);
  g_free(stripes->rows);
  G_OBJECT_CLASS(matinee_stripes_parent_class)->finalize(object);
}

static void matinee_stripes_class_init(MatineeStripesClass *class) {
  G_OBJECT_CLASS(class)->finalize = finalize;
  GTK_WIDGET_CLASS(class)->snapshot = snapshot;
}

static void matinee_stripes_init(MatineeStripes *self) { (void)self; }

GtkWidget *matinee_stripes_new(const GdkRGBA *columns, unsigned column_count, const GdkRGBA *rows, unsigned row_count) {
  MatineeStripes *stripes = g_object_new(matinee_stripes_get_type(), "orientation", GTK_ORIENTATION_VERTICAL, NULL);
  stripes->columns = g_memdup2(columns, column_count * sizeof *columns);
  stripes->rows = g_memdup2(rows, row_count * sizeof *rows);
  stripes->column_count = column_count;
  stripes->row_count = row_count;
  return GTK_WIDGET(stripes);
}
