#include "CListBaseline.h"
#include "../CGtk/CGtk.h"

// The model: items are made when they are asked for, and are the same for as long as they live.

typedef struct {
  GObject parent;
  const BaselinePost *posts;
  guint count;
  GHashTable *items;
} BaselineModel;

typedef struct {
  GObjectClass parent;
} BaselineModelClass;

typedef struct {
  GObject parent;
  BaselineModel *model;
  const char *id;
} BaselineItem;

typedef struct {
  GObjectClass parent;
} BaselineItemClass;

static GType baseline_item_get_type(void);
static GType baseline_model_get_type(void);

G_DEFINE_TYPE(BaselineItem, baseline_item, G_TYPE_OBJECT)

static void finalize_item(GObject *object) {
  BaselineItem *item = (BaselineItem *)object;
  g_hash_table_remove(item->model->items, item->id);
  g_object_unref(item->model);
  G_OBJECT_CLASS(baseline_item_parent_class)->finalize(object);
}

static void baseline_item_class_init(BaselineItemClass *class) { G_OBJECT_CLASS(class)->finalize = finalize_item; }

static void baseline_item_init(BaselineItem *self) { (void)self; }

static GType item_type(GListModel *list) {
  (void)list;
  return baseline_item_get_type();
}

static guint item_count(GListModel *list) { return ((BaselineModel *)list)->count; }

static gpointer item_at(GListModel *list, guint position) {
  BaselineModel *model = (BaselineModel *)list;
  if (position >= model->count) return NULL;
  const char *id = model->posts[position].id;
  BaselineItem *known = g_hash_table_lookup(model->items, id);
  if (known) return g_object_ref(known);
  BaselineItem *item = g_object_new(baseline_item_get_type(), NULL);
  item->model = g_object_ref(model);
  item->id = id;
  g_hash_table_insert(model->items, (gpointer)id, item);
  return item;
}

static void implement_list(GListModelInterface *interface) {
  interface->get_item_type = item_type;
  interface->get_n_items = item_count;
  interface->get_item = item_at;
}

G_DEFINE_TYPE_WITH_CODE(BaselineModel, baseline_model, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, implement_list))

static void finalize_model(GObject *object) {
  g_hash_table_unref(((BaselineModel *)object)->items);
  G_OBJECT_CLASS(baseline_model_parent_class)->finalize(object);
}

static void baseline_model_class_init(BaselineModelClass *class) { G_OBJECT_CLASS(class)->finalize = finalize_model; }

static void baseline_model_init(BaselineModel *self) { self->items = g_hash_table_new(g_str_hash, g_str_equal); }

void *baseline_model_new(const BaselinePost *posts, uint32_t count) {
  BaselineModel *model = g_object_new(baseline_model_get_type(), NULL);
  model->posts = posts;
  model->count = count;
  return model;
}

const BaselinePost *baseline_posts_new(uint32_t count) {
  BaselinePost *posts = g_new(BaselinePost, count);
  for (uint32_t place = 0; place < count; place++) {
    posts[place].id = g_strdup_printf("post-%08u", place);
    posts[place].title = g_strdup_printf("Number %u: what a reader of a long list sees of one post, on two lines", place);
    posts[place].byline = g_strdup_printf("Author %u", place % 97);
    posts[place].date = g_strdup_printf("%u minutes ago", place % 59 + 1);
  }
  return posts;
}

double baseline_string_list_seconds(const BaselinePost *posts, uint32_t count) {
  const char **ids = g_new0(const char *, count + 1);
  for (uint32_t place = 0; place < count; place++) ids[place] = posts[place].id;
  gint64 start = g_get_monotonic_time();
  GtkStringList *model = gtk_string_list_new(ids);
  baseline_ask(model, 20);
  double seconds = (double)(g_get_monotonic_time() - start) * 1e-6;
  g_object_unref(model);
  g_free(ids);
  return seconds;
}

void baseline_ask(void *model, uint32_t count) {
  gpointer items[64];
  if (count > 64) count = 64;
  for (uint32_t place = 0; place < count; place++) items[place] = g_list_model_get_item(model, place);
  for (uint32_t place = 0; place < count; place++) g_object_unref(items[place]);
}

void baseline_release(void *object) { g_object_unref(object); }

// The rows.

typedef struct {
  GtkWidget *title;
  GtkWidget *byline;
  GtkWidget *date;
  const BaselinePost *post;
} Row;

static GQuark row_key;

static GtkWidget *label(const char *style, int lines) {
  GtkWidget *label = gtk_label_new("");
  gtk_widget_add_css_class(label, style);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_label_set_lines(GTK_LABEL(label), lines);
  if (lines > 1) gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  return label;
}

static void pressed(GtkButton *button, gpointer data) {
  (void)button;
  g_print("%s\n", ((Row *)data)->post->id);
}

static void set_up(GtkListItemFactory *factory, GtkListItem *item, gpointer data) {
  (void)factory;
  (void)data;
  Row *row = g_new0(Row, 1);
  row->title = label("heading", 2);
  row->byline = label("caption", 1);
  row->date = label("caption", 1);
  GtkWidget *text = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  gtk_widget_set_hexpand(text, TRUE);
  gtk_box_append(GTK_BOX(text), row->title);
  gtk_box_append(GTK_BOX(text), row->byline);
  gtk_box_append(GTK_BOX(text), row->date);
  GtkWidget *button = gtk_button_new_with_label("Open");
  gtk_widget_add_css_class(button, "flat");
  g_signal_connect(button, "clicked", G_CALLBACK(pressed), row);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 18);
  gtk_box_append(GTK_BOX(box), text);
  gtk_box_append(GTK_BOX(box), button);
  g_object_set_qdata_full(G_OBJECT(item), row_key, row, g_free);
  gtk_list_item_set_child(item, box);
}

static void bind(GtkListItemFactory *factory, GtkListItem *item, gpointer data) {
  (void)factory;
  Row *row = g_object_get_qdata(G_OBJECT(item), row_key);
  BaselineItem *shown = gtk_list_item_get_item(item);
  const BaselinePost *post = g_hash_table_lookup(data, shown->id);
  row->post = post;
  gtk_label_set_text(GTK_LABEL(row->title), post->title);
  gtk_label_set_text(GTK_LABEL(row->byline), post->byline);
  gtk_label_set_text(GTK_LABEL(row->date), post->date);
  GtkWidget *parent = gtk_widget_get_parent(gtk_list_item_get_child(item));
  if (parent) gtk_accessible_update_property(GTK_ACCESSIBLE(parent), GTK_ACCESSIBLE_PROPERTY_LABEL, post->title, -1);
}

static void unbind(GtkListItemFactory *factory, GtkListItem *item, gpointer data) {
  (void)factory;
  (void)data;
  ((Row *)g_object_get_qdata(G_OBJECT(item), row_key))->post = NULL;
}

void baseline_window_open(const char *title, int width, int height, const BaselinePost *posts, uint32_t count) {
  row_key = g_quark_from_static_string("baseline-row");
  GHashTable *by_id = g_hash_table_new(g_str_hash, g_str_equal);
  for (uint32_t place = 0; place < count; place++) g_hash_table_insert(by_id, (gpointer)posts[place].id, (gpointer)&posts[place]);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  g_signal_connect(factory, "setup", G_CALLBACK(set_up), NULL);
  g_signal_connect_data(factory, "bind", G_CALLBACK(bind), by_id, (GClosureNotify)(void (*)(void))g_hash_table_unref, 0);
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind), NULL);
  GtkSelectionModel *selection = GTK_SELECTION_MODEL(gtk_no_selection_new(baseline_model_new(posts, count)));
  GtkWidget *list = gtk_list_view_new(selection, factory);
  gtk_list_view_set_single_click_activate(GTK_LIST_VIEW(list), TRUE);
  gtk_widget_add_css_class(list, "plain-list");
  GtkWidget *scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), list);
  gtk_widget_set_vexpand(scrolled, TRUE);
  GtkWidget *window = gtk_window_new();
  gtk_window_set_title(GTK_WINDOW(window), title);
  gtk_window_set_default_size(GTK_WINDOW(window), width, height);
  gtk_window_set_child(GTK_WINDOW(window), scrolled);
  gtk_window_present(GTK_WINDOW(window));
}
