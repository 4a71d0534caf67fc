#ifndef MATINEE_CLIST_BASELINE_H
#define MATINEE_CLIST_BASELINE_H

#include <stdint.h>

// A long list as a good C programmer would write it: what the wrapper is measured against. And what measures both alike.

typedef struct {
  const char *_Nonnull id;
  const char *_Nonnull title;
  const char *_Nonnull byline;
  const char *_Nonnull date;
} BaselinePost;

/// What this thread has taken of a processor, whatever else the machine does.
double baseline_seconds(void);

/// Posts to measure with; they stay for as long as the process.
const BaselinePost *_Nonnull baseline_posts_new(uint32_t count);

/// A lazy list model of these posts, to be released with `baseline_release`.
void *_Nonnull baseline_model_new(const BaselinePost *_Nonnull posts, uint32_t count);
/// The seconds that the toolkit's own model of texts takes for the ids of these posts.
double baseline_string_list_seconds(const BaselinePost *_Nonnull posts, uint32_t count);
/// Asks a model for its first items, as a list view does, and lets go of them.
void baseline_ask(void *_Nonnull model, uint32_t count);
void baseline_release(void *_Nonnull object);

/// Opens a window with a list of these posts; rows look theirs up by id.
void baseline_window_open(const char *_Nonnull title, int width, int height, const BaselinePost *_Nonnull posts, uint32_t count);

/// A window with a list in it, in C or in Swift.
typedef struct BaselineProbe BaselineProbe;
/// NULL when no window has that title and a list.
BaselineProbe *_Nullable baseline_probe_new(const char *_Nonnull title);
/// Turns the loop until the list is painted and rests.
void baseline_probe_settle(BaselineProbe *_Nonnull probe);
/// Empties and fills every row that is there, so often; the seconds of this thread for one row.
double baseline_probe_bind(BaselineProbe *_Nonnull probe, int times);
/// Scrolls down from the top so many frames; the seconds of this thread for one, from the scrolling to the painted window.
double baseline_probe_scroll(BaselineProbe *_Nonnull probe, int frames, double pixels);
/// How many rows there are.
uint32_t baseline_probe_rows(BaselineProbe *_Nonnull probe);

#endif
