/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the window share. The window owns no part of the scene: it posts messages and shows snapshots.
 *
 *   main.c       the command line
 *   window.c     events, shortcuts, frames
 *   desktop.c    a screen: a window of SDL; display.c what X11 reports
 *   browser.c    another: a browser, by serve.c
 *   viewport.c   the picture of the scene, the mouse over it
 *   overlay.c    what is drawn over it
 *   devices.c    haptic devices: their tab, their tools, the mouse as one
 *   bars.c       menus, tools, the line below
 *   tree.c, fields.c, below.c   the panels: the tree, the fields, and log, plots, times
 *   filming.c    films of it
 *   dialogs.c    files, shortcuts, about
 *   settings.c   what is kept from run to run
 */
#ifndef DIVAN_VIEW_VIEW_H
#define DIVAN_VIEW_VIEW_H

#include <divan/contracts/image.h>
#include <divan/contracts/renderer.h>
#include <divan/plugin.h>

#include "camera.h"
#include "seen.h"
#include "session.h"
#include "ui.h"

enum { TEXT_SIZE = 4096, RECENT_MOST = 10 };

/* What the command line asked for. */
typedef struct ViewerOptions {
    const char *scene, *record, *replay, *view, *screenshot;
    const char *address; /* of --serve */
    int steps, width, height, port;
    gboolean animate, fast, serves;
    bool sized; /* width and height have been asked for, else a scene may say them */
} ViewerOptions;

typedef enum FileUse {
    FILE_NONE,
    FILE_OPEN,
    FILE_SAVE,
    FILE_RECORD,
    FILE_REPLAY,
    FILE_EXPORT,
    FILE_LOG,
    FILE_FILM,
    FILE_VIEW /* the name is given: no list is shown */
} FileUse;

typedef enum Dialog { DIALOG_QUESTION, DIALOG_FILES, DIALOG_KEYS, DIALOG_ABOUT, DIALOGS } Dialog;

/* The picture and what it is drawn with. */
typedef struct Viewport {
    const DvRendererOps *ops; /* NULL: no plugin draws */
    DvRenderer *renderer;     /* NULL: none, and `problem` says why */
    char *problem;
    unsigned framebuffer, texture;
    int width, height; /* of the texture */
    DvCamera camera;
    uint64_t opened; /* the scene the camera belongs to */
    char *file;      /* its file; NULL: there was none yet */
    DvCamera moving; /* of the scene, as it was last: the view goes with it */
    bool xray, wireframe, points, axes, box, clips;
    double clip; /* share of the box, along the view */
    int background;
    CameraDrag drag;
    int dragging; /* button; -1: none */
    bool grabs;   /* the mouse holds something of the scene */
    DvMouseButton grabbing;
    GArray *blade;    /* float x, y: the way of the mouse while it cuts, pixels */
    GrabMode mode;    /* of the left button */
    bool left_views;  /* but it does what the scene says of recorded cameras, until a tool is chosen */
    double stiffness; /* N/m, of its spring */
    bool gives;       /* the mouse is a device: what it does goes to the scene */
    unsigned given;   /* buttons that the scene has down: bit i of button i */
    bool clicks;      /* the button has not been dragged since it was pressed */
    uint64_t asked;   /* the pick of a snapshot that is waited for; 0: none */
    char *below;      /* the body that is named at the mouse; NULL: none */
    double below_x, below_y;
    uint64_t drawn; /* snapshot */
    double draw_seconds, uploaded;
} Viewport;

typedef struct View View;
typedef struct Filming Filming;
typedef struct Start Start;

/* Where frames go and events come from. On the window's thread, but for wake. All required but grow. */
typedef struct Screen {
    bool (*open)(
        View *
            view); /* with a context of OpenGL that is current; false: a message has been printed. close follows in any case */
    bool (*start_panels)(View *view, const char *font); /* likewise; font: a file, or NULL */
    void (*close)(View *view);
    bool (*next)(View *view, SDL_Event *event, int milliseconds); /* waits so long; false: nothing came */
    void (*wake)(View *view);                                     /* [any] next returns something */
    bool (*takes_frame)(View *view); /* false: drawing one would be in vain, or for nobody yet */
    void (*size)(const View *view, int *width, int *height); /* pixels */
    void (*show)(View *view);                                /* what has been drawn */
    void (*title)(View *view, const char *title);
    void (*full_screen)(View *view, bool on);
    /* By so many pixels, as far as there is room; NULL: the size is its user's alone. */
    void (*grow)(View *view, int width, int height);
} Screen;
extern const Screen screen_desktop, screen_browser;

struct View {
    Filming *filming; /* NULL: no film is made */
    Start *start;     /* NULL: it is not shown */
    const Screen *screen;
    void *at_screen;      /* what it keeps */
    unsigned framebuffer; /* that frames are drawn into; 0: the window's */
    bool has_panels;
    bool tells_reset; /* OpenGL says when the graphics card was reset */
    char *title;
    Logbook *book;
    Session *session;
    Snapshot *now;
    ViewerOptions options;
    Viewport viewport;
    bool quits, full_screen;
    bool keys_given[128]; /* those of the scene that are down there */
    int frames;           /* to be drawn even if nothing changes: panels take some to settle after an event */
    int exit_status;
    double frame_seconds; /* mean time from picture to picture */
    /* Panels */
    float left, bottom, fields;      /* sizes, pixels */
    int window_width, window_height; /* to be kept; 0: not known */
    bool hides_panels;
    char search[200], filter[200];
    GHashTable *folded; /* paths of nodes that are folded, when they are not by themselves */
    char *selected;
    bool reveals;                                                     /* the tree shows the selected row */
    bool focuses_search, focuses_filter, focuses_field, focuses_file; /* wanted */
    int focusing;       /* frames until the keys have gone to another editor, or to none */
    GArray *typed;      /* SDL_Event: keys that wait for that */
    SDL_Event *pressed; /* a button that waits until what is below the mouse has been drawn; NULL: none */
    char *changed;      /* the field that was changed last */
    char *edit_id, edit_text[TEXT_SIZE];
    size_t first_element;
    bool shows_log[4];  /* by level */
    int tab;            /* to be put in front; -1: as it is */
    GHashTable *joined; /* plots that are drawn with the one above: "path[element]" */
    GPtrArray *said;    /* LogEntry: all of the log so far */
    size_t problems;    /* errors of the scene that is open */
    size_t errors;      /* these, and those of what else was asked for since */
    size_t said_before; /* entries in the log when it was opened */
    bool times_phases;
    signed char flags[DV_DISPLAY_FLAGS];
    /* Dialogs */
    FileUse file_use;
    char *folder, file_name[TEXT_SIZE];
    char *refusal; /* why the file of that name is not written; NULL: it has not been tried */
    char *asks;    /* a file that is there already: whether it is to be replaced; NULL: nothing is asked */
    FileUse asks_use;
    bool shows_keys, shows_about;
    Dialog front; /* that was opened or pressed last */
    char *recent[RECENT_MOST + 1];
    char *toast;
    double toast_until;
    /* The file of the scene */
    gint64 modified, checked;
    bool reloads;
};

/* main.c */
void view_post(View *view, MessageKind kind, const char *path, const char *text);
void view_await_focus(View *view);              /* keys wait until they have gone to another editor, or to none */
void view_focus_next(View *view, bool *wanted); /* the next item that is drawn gets the keys, if that is wanted */
void view_post_number(View *view, MessageKind kind, const char *path, double number);
void view_forget_errors(View *view);          /* a scene is read anew: those before are not of it */
void view_open(View *view, const char *file); /* a scene or a recording */
void view_replay(View *view, const char *file);
void view_select(View *view, const char *path);
void view_toast(View *view, const char *format, ...) DV_PRINTF(2, 3);
double view_clock(void); /* s */

/* window.c */
bool window_open(View *view); /* false: a message has been printed */
void window_run(View *view);
void window_close(View *view);
void window_full_screen(View *view, bool on);
bool window_screenshot(View *view, const char *file); /* all of it */

enum { SETTLING_FRAMES = 4 }; /* that are drawn after something has happened */

/* actions.c */
typedef enum Action {
    ACTION_ANIMATE,
    ACTION_STEP,
    ACTION_RESET,
    ACTION_UNDO,
    ACTION_RELOAD,
    ACTION_OPEN,
    ACTION_SAVE,
    ACTION_SCREENSHOT,
    ACTION_FILM,
    ACTION_RECORD,
    ACTION_REPLAY,
    ACTION_EXPORT,
    ACTION_FIT,
    ACTION_FIT_SELECTED,
    ACTION_DEFAULT_VIEW,
    ACTION_SAVE_VIEW,
    ACTION_PROJECTION,
    ACTION_BACKGROUND,
    ACTION_AXES,
    ACTION_XRAY,
    ACTION_WIREFRAME,
    ACTION_CLIP,
    ACTION_PANELS,
    ACTION_FULL_SCREEN,
    ACTION_FIND,
    ACTION_PLOT,
    ACTION_PACE,
    ACTION_MOUSE,
    ACTION_FORCES,
    ACTION_KEYS,
    ACTION_QUIT,
    ACTIONS
} Action;
typedef struct Shortcut {
    const char *keys, *says; /* "Ctrl+O", "open a scene" */
    int key;                 /* of SDL */
    bool control, shift;
    void (*run)(View *view);
} Shortcut;
extern const Shortcut shortcuts[ACTIONS];
void view_act(View *view, Action action);

/* viewport.c */
DvCamera viewport_camera(const View *view); /* as it is used now */
bool viewport_start(View *view);
void viewport_stop(View *view);
void viewport_draw(View *view, UiBox box);
void viewport_restore_view(
    View *view); /* the view that is kept beside the scene, else the scene's, else the default one */
void viewport_save_view(View *view); /* beside the scene */
void viewport_write_view(View *view, const char *file);
void viewport_screenshot(View *view);
void viewport_fit(View *view); /* what moves fills the picture; once more: all */
void viewport_fit_selected(View *view);
void viewport_fit_path(View *view, const char *whole); /* an object or what is below a node */

/* bars.c */
float panels_menu(View *view); /* its height */
void panels_toolbar(View *view, UiBox box);
void panels_status(View *view, UiBox box);

/* tree.c, fields.c, below.c */
void panels_tree(View *view, UiBox box);
bool panels_contain(const char *text, const char *part); /* whatever the case of letters */
void panels_fields(View *view, UiBox box);
void panels_bottom(View *view, UiBox box);

/* devices.c */
void devices_tab(const View *view);
void devices_tool(View *view); /* the mouse as a device, and the stop of all forces */
float devices_tool_width(void);
void devices_draw(const View *view, UiBox box);                        /* forces, over the picture */
bool devices_take_mouse(View *view, double x, double y, bool hovered); /* false: it is not one */

/* start.c */
void start_draw(View *view, UiBox box); /* in place of the viewport, while no scene was asked for */
void start_close(View *view);

/* overlay.c */
void overlay_draw(const View *view, UiBox box);

/* dialogs.c */
void dialogs_draw(View *view);
void dialogs_close(View *view); /* the one in front */
void dialogs_files(View *view, FileUse use);
/* Every file that its user has the window write: with the ending of its kind, after a question where there is one already, never over what
 * the scene is made from. */
void dialogs_write(View *view, FileUse use, const char *path);
void dialogs_answer(View *view, bool replaces); /* to the question */

/* filming.c */
void filming_begin(View *view, const char *file);
void filming_take(View *view); /* a picture has been drawn */
void filming_look(View *view); /* ends one that has failed */
void filming_end(View *view);

/* settings.c */
void settings_read(View *view);
void settings_write(const View *view);
void settings_add_recent(View *view, const char *file);
void settings_forget_recent(View *view, const char *file);
void settings_free(View *view);

#endif
