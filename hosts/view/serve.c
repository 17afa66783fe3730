/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The server: libwebsockets in a thread of its own, so that neither a slow network waits for a picture nor a picture for the network.
 *
 * Whoever has the token may do all that the user may: it is 128 random bits, asked for by the page and by the socket. What waits has
 * limits, so that no browser makes the process grow: frames, one text for each word, and events, behind which the browser waits in its
 * socket. A connection that sends too much, or what the page never sends, or that answers no more, is closed, with a message.
 */
#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <glib.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <divan/log.h>
#include <divan/memory.h>

#include "input.h"
#include "thread.h"

enum {
    TOKEN_BYTES = 16,
    TOKEN_SIZE = 2 * TOKEN_BYTES + 1,
    LINE_MOST = 4096,
    WAITING_MOST = 256, /* events; from then on the browser's stay in its socket */
    UNDERWAY_MOST = 2,  /* frames */
    SENT_AT_ONCE = 1 << 18,
    MESSAGES_A_SECOND = 1000, /* messages, by whoever says them for long */
    MESSAGES_AT_ONCE = 6000,
    FAREWELL_MS = 1000
};

extern const char view_page[];
extern const size_t view_page_size;

typedef struct Frame {
    size_t size;
    unsigned char bytes[]; /* LWS_PRE free, then the JPEG */
} Frame;

struct Server {
    struct lws_context *context;
    lws_retry_bo_t policy;
    GThread *thread;
    GAsyncQueue *events; /* SDL_Event, g_malloc'ed */
    char token[TOKEN_SIZE];
    char *url;
    gint quits;       /* atomic */
    GMutex mutex;     /* of these: */
    Frame *frame;     /* to be sent; NULL: none */
    int underway;     /* frames that have been given to it and not been shown yet */
    Uint32 number;    /* of the browser: + 1 with each */
    bool sized;       /* there is one, and its size has been taken by server_next */
    GQueue texts;     /* to be sent */
    GPtrArray *state; /* the last text of each word of server_send_state, for a browser that comes later */
    /* Of the thread alone: */
    struct lws *browser; /* NULL: none */
    Input input;
    char line[LINE_MOST + 1]; /* what it says, as far as it has come */
    size_t line_size, line_parts;
    int patience;             /* s */
    gint64 answered, counted; /* us: when it came or answered; when may_send was computed */
    double may_send;          /* messages */
};

/* Events */

static void push(void *context, const SDL_Event *event)
{
    Server *server = context;
    SDL_Event *copy = g_memdup2(event, sizeof *event);
    if (event->type == SDL_WINDOWEVENT)
        copy->window.windowID = server->number;
    g_async_queue_push(server->events, copy);
}

void server_wake(Server *server)
{
    const SDL_Event event = {.type = SDL_USEREVENT};
    push(server, &event);
}

static void note_size(Server *server, const SDL_WindowEvent *event)
{
    g_mutex_lock(&server->mutex);
    server->sized |= event->event == SDL_WINDOWEVENT_SIZE_CHANGED && event->windowID == server->number;
    g_mutex_unlock(&server->mutex);
}

bool server_next(Server *server, SDL_Event *event, int milliseconds)
{
    SDL_Event *came = g_async_queue_try_pop(server->events);
    if (!came && milliseconds > 0)
        came = g_async_queue_timeout_pop(server->events, (guint64)milliseconds * 1000);
    if (!came)
        return false;
    *event = *came;
    g_free(came);
    if (event->type == SDL_WINDOWEVENT)
        note_size(server, &event->window);
    return true;
}

/* What goes out */

bool server_takes_frame(Server *server)
{
    g_mutex_lock(&server->mutex);
    const bool takes = server->sized && server->underway < UNDERWAY_MOST;
    g_mutex_unlock(&server->mutex);
    return takes;
}

void server_send_frame(Server *server, uint8_t *jpeg, size_t size)
{
    Frame *frame = g_malloc(sizeof *frame + LWS_PRE + size);
    frame->size = size;
    memcpy(frame->bytes + LWS_PRE, jpeg, size);
    dv_free(jpeg);
    g_mutex_lock(&server->mutex);
    if (server->sized) {
        server->underway += server->frame == NULL; /* a newer one takes the place of one that has not left */
        Frame *old = server->frame;
        server->frame = frame;
        frame = old;
    }
    g_mutex_unlock(&server->mutex);
    g_free(frame);
    lws_cancel_service(server->context);
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && text[length] == ' ';
}

static void drop_text(GQueue *texts, const char *word)
{
    for (GList *link = texts->head, *next; link; link = next) {
        next = link->next;
        if (has_word(link->data, word)) {
            g_free(link->data);
            g_queue_delete_link(texts, link);
        }
    }
}

/* A newer one takes the place of one that has not left: no more wait than there are words. */
static void send_words(Server *server, const char *word, const char *rest, bool kept)
{
    char *text = g_strdup_printf("%s %s", word, rest);
    g_mutex_lock(&server->mutex);
    guint place = 0;
    while (place < server->state->len && !has_word(g_ptr_array_index(server->state, place), word))
        place++;
    if (place < server->state->len)
        (void)g_ptr_array_remove_index(server->state, place);
    if (kept)
        g_ptr_array_add(server->state, g_strdup(text));
    drop_text(&server->texts, word);
    g_queue_push_tail(&server->texts, text);
    g_mutex_unlock(&server->mutex);
    lws_cancel_service(server->context);
}

void server_send_state(Server *server, const char *word, const char *rest)
{
    send_words(server, word, rest, true);
}

void server_send_event(Server *server, const char *word, const char *rest)
{
    send_words(server, word, rest, false);
}

/* The page */

/* As long for each wrong one. */
static bool may_enter(const Server *server, struct lws *wsi)
{
    char buffer[TOKEN_SIZE + sizeof "token="] = "";
    const char *given = lws_get_urlarg_by_name(wsi, "token=", buffer, sizeof buffer);
    unsigned differs = !given || strlen(given) != TOKEN_SIZE - 1;
    for (size_t i = 0; !differs && i < TOKEN_SIZE - 1; i++)
        differs |= (unsigned)(unsigned char)given[i] ^ (unsigned)(unsigned char)server->token[i];
    return differs == 0;
}

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end) == 0;
}

static int begin_page(struct lws *wsi)
{
    unsigned char buffer[LWS_PRE + 1024], *begin = buffer + LWS_PRE, *at = begin, *end = buffer + sizeof buffer;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", view_page_size, &at, end) != 0 ||
        !add_header(wsi, "cache-control:", "no-store", &at, end) ||
        !add_header(wsi, "referrer-policy:", "no-referrer", &at, end) ||
        !add_header(wsi, "x-content-type-options:", "nosniff", &at, end) ||
        !add_header(wsi, "content-security-policy:",
                    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
                    "img-src data:; frame-ancestors 'none'",
                    &at, end) ||
        lws_finalize_write_http_header(wsi, begin, &at, end) != 0)
        return -1;
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

static int refuse(struct lws *wsi, unsigned status, const char *text)
{
    return lws_return_http_status(wsi, status, text) != 0 || lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int answer_request(const Server *server, struct lws *wsi, const char *path)
{
    if (!may_enter(server, wsi))
        return refuse(wsi, HTTP_STATUS_FORBIDDEN,
                      "The token is missing or wrong: open the address that divan-view printed.");
    return strcmp(path, "/") == 0 ? begin_page(wsi) : refuse(wsi, HTTP_STATUS_NOT_FOUND, "There is one page here: /");
}

static int send_page(struct lws *wsi)
{
    unsigned char *copy = g_malloc(LWS_PRE + view_page_size);
    memcpy(copy + LWS_PRE, view_page, view_page_size);
    const int sent = lws_write(wsi, copy + LWS_PRE, view_page_size, LWS_WRITE_HTTP_FINAL);
    g_free(copy);
    return sent < (int)view_page_size || lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int confirm(const Server *server, struct lws *wsi)
{
    if (may_enter(server, wsi))
        return 0;
    return lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, "The token is missing or wrong.") != 0 ? -1 : 1;
}

/* The socket */

static void forget_frames(Server *server)
{
    g_mutex_lock(&server->mutex);
    g_clear_pointer(&server->frame, g_free);
    server->underway = 0;
    server->number++;
    server->sized = false;
    g_queue_clear_full(&server->texts, g_free);
    g_mutex_unlock(&server->mutex);
}

/* The one that came last has the window. */
static void take_over(Server *server, struct lws *wsi)
{
    struct lws *before = server->browser;
    input_release(&server->input);
    forget_frames(server);
    server->browser = wsi;
    server->answered = server->counted = g_get_monotonic_time();
    server->may_send = MESSAGES_AT_ONCE;
    g_mutex_lock(&server->mutex);
    for (guint i = 0; i < server->state->len; i++)
        g_queue_push_tail(&server->texts, g_strdup(g_ptr_array_index(server->state, i)));
    g_mutex_unlock(&server->mutex);
    if (before)
        (void)lws_callback_on_writable(before);
    (void)lws_callback_on_writable(wsi);
}

static void gone(Server *server, const struct lws *wsi)
{
    if (wsi != server->browser)
        return;
    if (g_get_monotonic_time() - server->answered >= (gint64)2 * server->patience * G_USEC_PER_SEC)
        dv_log(DV_LEVEL_WARNING,
               "the browser has not answered for %d s: its connection is ended; open the address again",
               2 * server->patience);
    server->browser = NULL;
    input_release(&server->input);
    forget_frames(server);
    server_wake(server);
}

static bool send_text(struct lws *wsi, const char *text)
{
    const size_t size = strlen(text);
    unsigned char *copy = g_malloc(LWS_PRE + size + 1);
    memcpy(copy + LWS_PRE, text, size + 1);
    const int sent = lws_write(wsi, copy + LWS_PRE, size, LWS_WRITE_TEXT);
    g_free(copy);
    return sent >= (int)size;
}

/* One message; libwebsockets keeps what of it does not fit into the socket, and says when there is room for the next. */
static int send_next(Server *server, struct lws *wsi)
{
    if (wsi != server->browser || g_atomic_int_get(&server->quits)) {
        (void)send_text(wsi, wsi != server->browser ? "moved" : "ended");
        return -1;
    }
    g_mutex_lock(&server->mutex);
    char *text = g_queue_pop_head(&server->texts);
    Frame *frame = text ? NULL : g_steal_pointer(&server->frame);
    const bool more = server->texts.length || server->frame;
    g_mutex_unlock(&server->mutex);
    bool good = true;
    if (text)
        good = send_text(wsi, text);
    else if (frame)
        good = lws_write(wsi, frame->bytes + LWS_PRE, frame->size, LWS_WRITE_BINARY) >= (int)frame->size;
    g_free(text);
    g_free(frame);
    if (more)
        (void)lws_callback_on_writable(wsi);
    return good ? 0 : -1;
}

static void was_shown(Server *server)
{
    g_mutex_lock(&server->mutex);
    server->underway -= server->underway > 0;
    g_mutex_unlock(&server->mutex);
    server_wake(server);
}

static bool take_line(Server *server, const char *line)
{
    if (strcmp(line, "got") == 0) {
        was_shown(server);
        return true;
    }
    return input_take(&server->input, line);
}

/* The browser waits in its socket, and frames with it: there are none while the events of before are taken. */
static void wait_for_capacity(Server *server)
{
    while (g_async_queue_length(server->events) > WAITING_MOST && !g_atomic_int_get(&server->quits))
        g_usleep(1000);
}

static int refuse_message(struct lws *wsi, const char *why)
{
    dv_log(DV_LEVEL_WARNING, "a browser is sent away: %s", why);
    lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, (unsigned char *)why, strlen(why));
    return -1;
}

static bool may_send_more(Server *server)
{
    const gint64 now = g_get_monotonic_time();
    server->may_send += MESSAGES_A_SECOND * 1e-6 * (double)(now - server->counted);
    server->may_send = MIN(server->may_send, MESSAGES_AT_ONCE) - 1;
    server->counted = now;
    return server->may_send >= 0;
}

/* A message may come in parts, as the network hands them on: it counts once, and has no more of them than bytes. */
static int take_message(Server *server, struct lws *wsi, const char *bytes, size_t size)
{
    static const char nonsense[] = "this is nothing that the page says";
    if (wsi != server->browser)
        return 0;
    if (lws_is_first_fragment(wsi))
        server->line_size = server->line_parts = 0;
    if (server->line_parts == 0 && !may_send_more(server))
        return refuse_message(wsi, "it sends too many messages");
    if (size > LINE_MOST - server->line_size || ++server->line_parts > LINE_MOST + 1)
        return refuse_message(wsi, nonsense);
    memcpy(server->line + server->line_size, bytes, size);
    server->line_size += size;
    server->line[server->line_size] = '\0';
    if (!lws_is_final_fragment(wsi))
        return 0;
    if (strlen(server->line) != server->line_size || !take_line(server, server->line))
        return refuse_message(wsi, nonsense);
    wait_for_capacity(server);
    return 0;
}

/* Another thread has something to send. */
static void look_up(Server *server)
{
    if (server->browser)
        (void)lws_callback_on_writable(server->browser);
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    Server *server = lws_context_user(lws_get_context(wsi));
    (void)user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer_request(server, wsi, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_page(wsi);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm(server, wsi);
    case LWS_CALLBACK_ESTABLISHED:
        take_over(server, wsi);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return take_message(server, wsi, in, size);
    case LWS_CALLBACK_RECEIVE_PONG:
        server->answered = wsi == server->browser ? g_get_monotonic_time() : server->answered;
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_next(server, wsi);
    case LWS_CALLBACK_CLOSED:
        gone(server, wsi);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        look_up(server);
        return 0;
    default:
        return 0;
    }
}

/* Beginning and end */

static gpointer serve(gpointer data)
{
    Server *server = data;
    gint64 end = 0;
    for (;;) {
        if (lws_service(server->context, 0) < 0)
            break;
        if (!g_atomic_int_get(&server->quits))
            continue;
        const gint64 time = g_get_monotonic_time();
        end = end ? end : time + FAREWELL_MS * 1000;
        if (!server->browser || time > end)
            break;
    }
    return NULL;
}

static bool refused(const char *address, int port, DvText *why)
{
    dv_text_add(why, "%s port %d: %s; %s", address, port, g_strerror(errno),
                errno == EADDRINUSE      ? "another program has it: choose another one, or 0 for any that is free"
                : errno == EACCES        ? "ports below 1024 are the administrator's"
                : errno == EADDRNOTAVAIL ? "no network of this machine has that address"
                                         : "choose another one");
    return false;
}

/* libwebsockets says only that it failed: what is wrong with address and port is found here. */
static bool check_place(const char *address, int port, bool *version6, DvText *why)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *place = NULL;
    char number[16];
    const int on = 1;
    g_snprintf(number, sizeof number, "%d", port);
    if (getaddrinfo(address, number, &hints, &place) != 0) {
        dv_text_add(why,
                    "'%s' is no address; give one in numbers: 127.0.0.1 (this machine alone), 0.0.0.0 (all networks)",
                    address);
        return false;
    }
    *version6 = place->ai_family == AF_INET6;
    const int socket_ = socket(place->ai_family, SOCK_STREAM, 0);
    bool good = socket_ >= 0 && setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                bind(socket_, place->ai_addr, place->ai_addrlen) == 0 && listen(socket_, 1) == 0;
    if (!good)
        (void)refused(address, port, why);
    if (socket_ >= 0)
        (void)close(socket_);
    freeaddrinfo(place);
    return good;
}

static bool make_token(Server *server, DvText *why)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        dv_text_add(why, "no random numbers for the token: %s", g_strerror(errno));
        return false;
    }
    for (int i = 0; i < TOKEN_BYTES; i++)
        g_snprintf(server->token + 2 * (size_t)i, 3, "%02x", bytes[i]);
    return true;
}

static bool listen_at(Server *server, const char *address, int port, DvText *why)
{
    static const struct lws_protocols protocols[] = {{"divan-view", callback, 0, LINE_MOST, 0, NULL, SENT_AT_ONCE},
                                                     {NULL, NULL, 0, 0, 0, NULL, 0}};
    /* A browser behind a tunnel that broke says nothing any more. */
    server->policy = (lws_retry_bo_t){.secs_since_valid_ping = (uint16_t)server->patience,
                                      .secs_since_valid_hangup = (uint16_t)(2 * server->patience)};
    bool version6 = false;
    if (!check_place(address, port, &version6, why))
        return false;
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info = {
        .port = port,
        .iface = address,
        .protocols = protocols,
        .user = server,
        .retry_and_idle_policy = &server->policy,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   (version6 ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6),
    };
    server->context = lws_create_context(&info);
    struct lws_vhost *host = server->context ? lws_create_vhost(server->context, &info) : NULL;
    if (!host) {
        dv_text_add(why, "%s port %d: libwebsockets does not start", address, port);
        return false;
    }
    const char *name = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0 ? g_get_host_name() : address;
    server->url = g_strdup_printf(strchr(name, ':') ? "http://[%s]:%d/?token=%s" : "http://%s:%d/?token=%s", name,
                                  lws_get_vhost_listen_port(host), server->token);
    return true;
}

Server *server_new(const char *address, int port, int patience, DvText *why)
{
    Server *server = g_new0(Server, 1);
    server->patience = patience;
    g_mutex_init(&server->mutex);
    g_queue_init(&server->texts);
    server->state = g_ptr_array_new_with_free_func(g_free);
    server->events = g_async_queue_new_full(g_free);
    server->input = (Input){.give = push, .context = server};
    if (!make_token(server, why) || !listen_at(server, address, port, why)) {
        server_free(server);
        return NULL;
    }
    server->thread = host_thread_new("server", serve, server);
    return server;
}

const char *server_url(const Server *server)
{
    return server->url;
}

void server_free(Server *server)
{
    if (!server)
        return;
    g_atomic_int_set(&server->quits, 1);
    if (server->thread) {
        lws_cancel_service(server->context);
        g_thread_join(server->thread);
    }
    if (server->context)
        lws_context_destroy(server->context);
    g_async_queue_unref(server->events);
    g_ptr_array_unref(server->state);
    g_queue_clear_full(&server->texts, g_free);
    g_mutex_clear(&server->mutex);
    g_free(server->frame);
    g_free(server->url);
    g_free(server);
}
