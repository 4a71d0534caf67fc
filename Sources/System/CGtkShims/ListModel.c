#include "CGtkShims.h"

typedef struct {
  GObject parent;
  MatineeListSource source;
  void *data;
} MatineeListModel;

typedef struct {
  GObjectClass parent;
} MatineeListModelClass;

typedef struct {
  GObject parent;
  MatineeListModel *model;
  void *entry;
} MatineeListItem;

typedef struct {
  GObjectClass parent;
} MatineeListItemClass;

static GType matinee_list_item_get_type(void);
static GType matinee_list_model_get_type(void);

G_DEFINE_TYPE(MatineeListItem, matinee_list_item, G_TYPE_OBJECT)

static void finalize_item(GObject *object) {
  MatineeListItem *item = (MatineeListItem *)object;
  item->model->source.item_gone(item->model->data, item->entry);
  g_object_unref(item->model);
  G_OBJECT_CLASS(matinee_list_item_parent_class)->finalize(object);
}

static void matinee_list_item_class_init(MatineeListItemClass *class) { G_OBJECT_CLASS(class)->finalize = finalize_item; }

static void matinee_list_item_init(MatineeListItem *self) { (void)self; }

static GType item_type(GListModel *list) {
  (void)list;
  return matinee_list_item_get_type();
}

static guint item_count(GListModel *list) {
  MatineeListModel *model = (MatineeListModel *)list;
  return model->source.count(model->data);
}

static gpointer item_at(GListModel *list, guint position) {
  MatineeListModel *model = (MatineeListModel *)list;
  return model->source.item_at(model->data, position);
}

static void implement_list(GListModelInterface *interface) {
  interface->get_item_type = item_type;
  interface->get_n_items = item_count;
  interface->get_item = item_at;
}

G_DEFINE_TYPE_WITH_CODE(MatineeListModel, matinee_list_model, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, implement_list))

static void finalize_model(GObject *object) {
  MatineeListModel *model = (MatineeListModel *)object;
  model->source.released(model->data);
  G_OBJECT_CLASS(matinee_list_model_parent_class)->finalize(object);
}

static void matinee_list_model_class_init(MatineeListModelClass *class) { G_OBJECT_CLASS(class)->finalize = finalize_model; }

static void matinee_list_model_init(MatineeListModel *self) { (void)self; }

GListModel *matinee_list_model_new(MatineeListSource source, void *data) {
  MatineeListModel *model = g_object_new(matinee_list_model_get_type(), NULL);
  model->source = source;
  model->data = data;
  return G_LIST_MODEL(model);
}

void *matinee_list_item_new(GListModel *list, void *entry) {
  MatineeListItem *item = g_object_new(matinee_list_item_get_type(), NULL);
  item->model = g_object_ref((MatineeListModel *)list);
  item->entry = entry;
  return item;
}

void *matinee_list_item_entry(const void *item) { return ((const MatineeListItem *)item)->entry; }
