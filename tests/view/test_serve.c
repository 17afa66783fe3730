/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The server of the window, by sockets, and what it makes of a browser's words.
 */
#include <arpa/inet.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <divan/log.h>
#include <divan/memory.h>
#include <glib.h>

#include "input.h"
#include "serve.h"

enum { PATIENCE = 10000 }; /* ms that anything may take */

/* Words */

typedef struct Heard {
    SDL_Event events[64];
    int count;
} Heard;

static void hear(void *context, const SDL_Event *event)
{
    Heard *heard = context;
    assert_true(heard->count < 64);
    heard->events[heard->count++] = *event;
}

static void words_become_events(void **state)
{
    Heard heard = {0};
    Input input = {.give = hear, .context = &heard};
    (void)state;
    assert_true(input_take(&input, "size 640 480"));
    assert_int_equal(heard.events[0].window.event, SDL_WINDOWEVENT_SIZE_CHANGED);
    assert_int_equal(heard.events[0].window.data1, 640);
    assert_int_equal(heard.events[0].window.data2, 480);
    assert_true(input_take(&input, "down 3 12 34 1")); /* shift, place, button */
    assert_int_equal(heard.count, 4);
    assert_int_equal(heard.events[1].key.keysym.sym, SDLK_LSHIFT);
    assert_int_equal(heard.events[1].key.keysym.mod, KMOD_LSHIFT);
    assert_int_equal(heard.events[2].motion.x, 12);
    assert_int_equal(heard.events[2].motion.y, 34);
    assert_int_equal(heard.events[3].type, SDL_MOUSEBUTTONDOWN);
    assert_int_equal(heard.events[3].button.button, SDL_BUTTON_RIGHT);
    heard.count = 0;
    assert_true(input_take(&input, "down 3 12 34 1")); /* it is down already: only the place */
    assert_int_equal(heard.count, 1);
    assert_true(input_take(&input, "wheel -1 2.5 0")); /* shift is let go */
    assert_int_equal(heard.events[1].type, SDL_KEYUP);
    assert_float_equal(heard.events[2].wheel.preciseY, 2.5, 0);
    assert_float_equal(heard.events[2].wheel.preciseX, -1, 0);
}

static void keys_have_names(void **state)
{
    static const struct {
        const char *line;
        SDL_Keycode key;
    } names[] = {
        {"key 1 0 0 a", SDLK_a},           {"key 1 0 0 A", SDLK_a},           {"key 1 0 0 Return", SDLK_RETURN},
        {"key 1 0 0 Left", SDLK_LEFT},     {"key 1 0 0 F11", SDLK_F11},       {"key 1 0 0 Escape", SDLK_ESCAPE},
        {"key 1 0 0 Space", SDLK_SPACE},   {"key 1 0 0 1", SDLK_1},           {"key 1 0 0 Backspace", SDLK_BACKSPACE},
        {"key 1 0 0 Delete", SDLK_DELETE}, {"key 1 0 0 PageUp", SDLK_PAGEUP}, {"key 1 0 0 \303\244", 0xe4}};
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        Heard heard = {0};
        Input input = {.give = hear, .context = &heard};
        assert_true(input_take(&input, names[i].line));
        assert_int_equal(heard.count, 1);
        assert_int_equal(heard.events[0].key.keysym.sym, names[i].key);
    }
}

static void print_event(void *context, const SDL_Event *event)
{
    GString *text = context;
    if (event->type == SDL_KEYDOWN || event->type == SDL_KEYUP)
        g_string_append_printf(text, "%s %x mod %x state %d repeat %d\n", event->type == SDL_KEYDOWN ? "key" : "key up",
                               (unsigned)event->key.keysym.sym, event->key.keysym.mod, event->key.state,
                               event->key.repeat);
    else if (event->type == SDL_MOUSEMOTION)
        g_string_append_printf(text, "at %d %d\n", event->motion.x, event->motion.y);
    else if (event->type == SDL_MOUSEBUTTONDOWN || event->type == SDL_MOUSEBUTTONUP)
        g_string_append_printf(text, "%s %d state %d clicks %d at %d %d\n",
                               event->type == SDL_MOUSEBUTTONDOWN ? "button" : "button up", event->button.button,
                               event->button.state, event->button.clicks, event->button.x, event->button.y);
    else if (event->type == SDL_MOUSEWHEEL)
        g_string_append_printf(text, "wheel %d %d, %g %g\n", event->wheel.x, event->wheel.y,
                               (double)event->wheel.preciseX, (double)event->wheel.preciseY);
    else if (event->type == SDL_TEXTINPUT)
        g_string_append_printf(text, "text %s\n", event->text.text);
    else if (event->type == SDL_WINDOWEVENT)
        g_string_append_printf(text, "window %d %d %d\n", event->window.event, event->window.data1,
                               event->window.data2);
    else if (event->type == SDL_DISPLAYEVENT)
        g_string_append_printf(text, "display %d\n", event->display.data1);
    else
        g_string_append(text, "?\n");
}

/* All that a page may say, one after the other, and what comes of it. */
static void each_line_has_its_events(void **state)
{
    static const struct {
        const char *line, *events;
    } all[] = {
        {"size 640 480", "window 6 640 480\n"},
        {"size 1 1", "window 6 16 16\n"},
        {"size 99999 99999", "window 6 8192 8192\n"},
        {"size 640 480 2", "display 2000\nwindow 6 640 480\n"},
        {"size 600 480 2", "window 6 600 480\n"},
        {"size 600 480 99", "display 4000\nwindow 6 600 480\n"},
        {"size 600 480", "display 1000\nwindow 6 600 480\n"},
        {"move 5 6 0", "at 5 6\n"},
        {"move 5 6 7",
         "key 400000e1 mod 141 state 1 repeat 0\nkey 400000e0 mod 141 state 1 repeat 0\nkey 400000e2 mod 141 state 1 repeat 0\nat 5 6\n"},
        {"move -5 6.9 2",
         "key up 400000e1 mod 40 state 0 repeat 0\nkey up 400000e2 mod 40 state 0 repeat 0\nat -5 6\n"},
        {"down 2 7 8 2", "at 7 8\nbutton 2 state 1 clicks 1 at 7 8\n"},
        {"down 2 7 9 2", "at 7 9\n"},
        {"down 1 7 9 2", "at 7 9\nbutton 1 state 1 clicks 1 at 7 9\n"},
        {"up 3 7 9 2", "at 7 9\n"},
        {"up 2 1 2 2", "at 1 2\nbutton up 2 state 0 clicks 1 at 1 2\n"},
        {"wheel 0.5 -1.5 2", "wheel 1 -2, 0.5 -1.5\n"},
        {"wheel 50 -50 0", "key up 400000e0 mod 0 state 0 repeat 0\nwheel 50 -50, 50 -50\n"},
        {"key 1 0 0 a", "key 61 mod 0 state 1 repeat 0\n"},
        {"key 1 1 1 A", "key 400000e1 mod 1 state 1 repeat 0\nkey 61 mod 1 state 1 repeat 1\n"},
        {"key 0 0 1 A", "key up 61 mod 1 state 0 repeat 0\n"},
        {"key 0 0 1 A", ""},
        {"key 1 0 1 Nothing", ""},
        {"key 1 0 0 Up", "key up 400000e1 mod 0 state 0 repeat 0\nkey 40000052 mod 0 state 1 repeat 0\n"},
        {"key 1 0 0 b", "key 62 mod 0 state 1 repeat 0\n"},
        {"text 0123456789012345678901234567890", "text 0123456789012345678901234567890\n"},
        {"text 01234567890123456789012345678901", "text 0123456789012345678901234567890\ntext 1\n"},
        {"text 012345678901234567890123456789\303\244", "text 012345678901234567890123456789\ntext \303\244\n"},
        {"text ", ""},
        {"leave", "window 11 0 0\n"},
        {"blur",
         "button up 1 state 0 clicks 1 at 1 2\nkey up 40000052 mod 0 state 0 repeat 0\nkey up 62 mod 0 state 0 repeat 0\n"},
        {"blur", ""},
    };
    GString *text = g_string_new(NULL);
    Input input = {.give = print_event, .context = text};
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_string_truncate(text, 0);
        assert_true(input_take(&input, all[i].line));
        if (strcmp(text->str, all[i].events) != 0)
            fail_msg("'%s' gives\n%sinstead of\n%s", all[i].line, text->str, all[i].events);
    }
    /* So many keys are held; of more the last ones are not let go by themselves. */
    for (int i = 0; i < INPUT_KEYS + 2; i++) {
        char line[32];
        g_snprintf(line, sizeof line, "key 1 0 0 %c", "0123456789abcdefghijklmnopqrstuvwxyz,.-+#<!?"[i]);
        assert_true(input_take(&input, line));
    }
    g_string_truncate(text, 0);
    input_release(&input);
    int lines = 0;
    for (const char *at = text->str; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, INPUT_KEYS);
    g_string_free(text, TRUE);
}

/* Text of any length comes in events of 31 bytes whose letters are whole. */
static void text_stays_whole(void **state)
{
    Heard heard = {0};
    Input input = {.give = hear, .context = &heard};
    GString *text = g_string_new("text "), *came = g_string_new(NULL);
    (void)state;
    for (int i = 0; i < 50; i++)
        g_string_append(text, i % 3 ? "\342\202\254" : "x");
    assert_true(input_take(&input, text->str));
    for (int i = 0; i < heard.count; i++) {
        assert_true(g_utf8_validate(heard.events[i].text.text, -1, NULL));
        g_string_append(came, heard.events[i].text.text);
    }
    assert_string_equal(came->str, text->str + strlen("text "));
    g_string_free(text, TRUE);
    g_string_free(came, TRUE);
}

/* Whoever goes away holds nothing any more; what was never pressed is not let go. */
static void all_is_let_go(void **state)
{
    Heard heard = {0};
    Input input = {.give = hear, .context = &heard};
    (void)state;
    assert_true(input_take(&input, "key 1 0 2 a"));
    assert_true(input_take(&input, "down 1 5 5 2"));
    assert_true(input_take(&input, "key 0 0 2 b"));
    heard.count = 0;
    assert_true(input_take(&input, "blur"));
    assert_int_equal(heard.count, 3);
    assert_int_equal(heard.events[0].type, SDL_MOUSEBUTTONUP);
    assert_int_equal(heard.events[1].type, SDL_KEYUP);
    assert_int_equal(heard.events[1].key.keysym.sym, SDLK_a);
    assert_int_equal(heard.events[2].key.keysym.sym, SDLK_LCTRL);
    heard.count = 0;
    input_release(&input);
    assert_int_equal(heard.count, 0);
}

static void nonsense_is_refused(void **state)
{
    static const char *const lines[] = {"",
                                        "hello",
                                        "size",
                                        "size 1",
                                        "move 1 1",
                                        "move nan 1 0",
                                        "move 1e9 1 0",
                                        "down 4 1 1 0",
                                        "down 0 1 1 0",
                                        "wheel inf 0 0",
                                        "wheel 0 99 0",
                                        "key 1 0",
                                        "text \377\376",
                                        "leave now",
                                        "got it",
                                        "key 1 0 0",
                                        "key 1 0 9 a"};
    Heard heard = {0};
    Input input = {.give = hear, .context = &heard};
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        if (input_take(&input, lines[i]))
            fail_msg("'%s' is taken", lines[i]);
    assert_int_equal(heard.count, 0);
}

/* The server */

typedef struct Client {
    int socket;
    char head[1024];
} Client;

static int port_of(const Server *server)
{
    return atoi(strrchr(server_url(server), ':') + 1);
}

/* Asks for the WebSocket with that token. */
static Client connect_to(const Server *server, const char *token)
{
    const struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port_of(server)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = PATIENCE / 1000};
    Client client = {.socket = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(setsockopt(client.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(client.socket, (const struct sockaddr *)&place, sizeof place), 0);
    char *asked = g_strdup_printf("GET /?token=%s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                                  token);
    assert_int_equal(send(client.socket, asked, strlen(asked), MSG_NOSIGNAL), (ssize_t)strlen(asked));
    g_free(asked);
    for (size_t at = 0; at + 1 < sizeof client.head && !strstr(client.head, "\r\n\r\n"); at++)
        if (recv(client.socket, client.head + at, 1, 0) != 1)
            break;
    return client;
}

static Client enter(const Server *server)
{
    Client client = connect_to(server, strchr(server_url(server), '=') + 1);
    assert_non_null(strstr(client.head, " 101 "));
    return client;
}

static void say(const Client *client, const char *text)
{
    const size_t size = strlen(text);
    assert_true(size < 126);
    unsigned char bytes[132] = {0x81, (unsigned char)(0x80 | size)}; /* a mask of zeros */
    memcpy(bytes + 6, text, size + 1);
    assert_int_equal(send(client->socket, bytes, 6 + size, MSG_NOSIGNAL), (ssize_t)(6 + size));
}

static bool take(const Client *client, unsigned char *bytes, size_t size)
{
    return recv(client->socket, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

/* Kind of the next message, 0: the connection has ended; `bytes` has room for 64 KiB. */
static int listen_to(const Client *client, unsigned char *bytes, size_t *size)
{
    unsigned char head[4];
    if (!take(client, head, 2))
        return 0;
    *size = head[1] & 127;
    if (*size == 126) {
        assert_true(take(client, head + 2, 2));
        *size = (size_t)head[2] << 8 | head[3];
    }
    assert_true(*size < 65536);
    assert_true(take(client, bytes, *size));
    bytes[*size] = '\0';
    return head[0] & 15;
}

static void expect_text(const Client *client, const char *text)
{
    static unsigned char bytes[65537];
    size_t size = 0;
    assert_int_equal(listen_to(client, bytes, &size), 1);
    assert_string_equal((const char *)bytes, text);
}

static void expect_end(const Client *client)
{
    static unsigned char bytes[65537];
    size_t size = 0;
    int kind;
    while ((kind = listen_to(client, bytes, &size)) != 0)
        assert_int_equal(kind, 8);
}

/* Takes events until one of that type. */
static SDL_Event next_of(Server *server, Uint32 type)
{
    SDL_Event event = {0};
    for (int waited = 0; waited < PATIENCE / 10; waited++)
        if (server_next(server, &event, 10) && event.type == type)
            return event;
    fail_msg("no event of type %x", type);
    return event;
}

static Server *new_patient_server(int patience)
{
    DvText why = {0};
    Server *server = server_new("127.0.0.1", 0, patience, &why);
    if (!server)
        fail_msg("%s", why.at);
    return server;
}

static Server *new_server(void)
{
    return new_patient_server(20);
}

static void send_frame(Server *server, unsigned char content, size_t size)
{
    uint8_t *bytes = dv_alloc(size, 1);
    memset(bytes, content, size);
    server_send_frame(server, bytes, size);
}

static void expect_frame(const Client *client, unsigned char content, size_t expected)
{
    static unsigned char bytes[65537];
    size_t size = 0;
    assert_int_equal(listen_to(client, bytes, &size), 2);
    assert_int_equal(size, expected);
    assert_int_equal(bytes[0], content);
    assert_int_equal(bytes[size - 1], content);
}

static void only_the_token_opens(void **state)
{
    Server *server = new_server();
    (void)state;
    static const char *const wrong[] = {"", "0", "00000000000000000000000000000000",
                                        "000000000000000000000000000000000"};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        Client client = connect_to(server, wrong[i]);
        assert_non_null(strstr(client.head, " 403 "));
        close(client.socket);
    }
    Client client = enter(server);
    close(client.socket);
    server_free(server);
}

/* Two frames at most are on their way; the next ones are asked for when they have been shown. */
static void frames_wait_for_the_browser(void **state)
{
    Server *server = new_server();
    (void)state;
    assert_false(server_takes_frame(server)); /* nobody is there */
    send_frame(server, 9, 10);
    Client client = enter(server);
    assert_false(server_takes_frame(server)); /* its size is not known */
    say(&client, "size 320 240");
    assert_int_equal(next_of(server, SDL_WINDOWEVENT).window.data1, 320);
    assert_true(server_takes_frame(server));
    send_frame(server, 1, 40000);
    expect_frame(&client, 1, 40000);
    assert_true(server_takes_frame(server));
    send_frame(server, 2, 100);
    expect_frame(&client, 2, 100);
    assert_false(server_takes_frame(server));
    say(&client, "got");
    (void)next_of(server, SDL_USEREVENT);
    assert_true(server_takes_frame(server));
    close(client.socket);
    (void)next_of(server, SDL_USEREVENT);
    assert_false(server_takes_frame(server));
    server_free(server);
}

static void the_last_one_has_the_window(void **state)
{
    Server *server = new_server();
    (void)state;
    server_send_state(server, "title", "a");
    server_send_state(server, "cursor", "text");
    server_send_state(server, "title", "b c");
    Client first = enter(server);
    expect_text(&first, "cursor text");
    expect_text(&first, "title b c");
    say(&first, "size 320 240");
    (void)next_of(server, SDL_WINDOWEVENT);
    say(&first, "down 1 2 3 0");
    (void)next_of(server, SDL_MOUSEBUTTONDOWN);
    Client second = enter(server);
    expect_text(&first, "moved");
    expect_end(&first);
    (void)next_of(server, SDL_MOUSEBUTTONUP); /* what the first one held */
    expect_text(&second, "cursor text");
    expect_text(&second, "title b c");
    assert_false(server_takes_frame(server));
    say(&second, "size 100 50");
    (void)next_of(server, SDL_WINDOWEVENT);
    assert_true(server_takes_frame(server));
    server_free(server);
    expect_text(&second, "ended");
    expect_end(&second);
    close(first.socket);
    close(second.socket);
}

/* More events than are taken stay where they come from, and none is lost. */
static void a_flood_is_held_back(void **state)
{
    enum { EVENTS = 5000 };
    Server *server = new_server();
    Client client = enter(server);
    (void)state;
    for (int i = 0; i < EVENTS; i++) {
        char text[40];
        g_snprintf(text, sizeof text, "move %d 7 0", i);
        say(&client, text);
    }
    for (int i = 0; i < EVENTS; i++)
        assert_int_equal(next_of(server, SDL_MOUSEMOTION).motion.x, i);
    close(client.socket);
    server_free(server);
}

/* What is said in the log, by the server's thread. */
static GMutex said_mutex;
static GString *said;

static void hear_log(const DvMessage *message, void *context)
{
    (void)context;
    g_mutex_lock(&said_mutex);
    g_string_append(said, message->text);
    g_mutex_unlock(&said_mutex);
}

static bool was_said(const char *words)
{
    g_mutex_lock(&said_mutex);
    const bool found = strstr(said->str, words) != NULL;
    g_mutex_unlock(&said_mutex);
    return found;
}

static int begin_hearing(void **state)
{
    (void)state;
    said = g_string_new(NULL);
    dv_log_set_handler(hear_log, NULL);
    return 0;
}

static int end_hearing(void **state)
{
    (void)state;
    dv_log_set_handler(NULL, NULL);
    g_string_free(said, TRUE);
    return 0;
}

/* All threads' bytes; nothing is counted under sanitizers. */
static size_t bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static bool try_to_say(const Client *client, const char *text)
{
    const size_t size = strlen(text);
    unsigned char bytes[132] = {0x81, (unsigned char)(0x80 | size)};
    memcpy(bytes + 6, text, size + 1);
    return send(client->socket, bytes, 6 + size, MSG_NOSIGNAL) == (ssize_t)(6 + size);
}

/* A browser that never looks at what it is sent, but says that its mouse moves, and now and then that it has its frames: of those and of
 * texts none pile up, and it is sent away for not answering. */
static void one_that_never_reads_is_ended(void **state)
{
    enum { SIZE = 1 << 18, ROUNDS = 200, LONG = 1 << 14 };
    char *title = g_strnfill(LONG, 'x');
    Server *server = new_patient_server(2);
    Client client = enter(server);
    (void)state;
    say(&client, "size 320 240");
    (void)next_of(server, SDL_WINDOWEVENT);
    const size_t before = bytes_in_use();
    size_t most = 0;
    bool there = true;
    const gint64 end = g_get_monotonic_time() + PATIENCE * 1000;
    for (int i = 0; there && g_get_monotonic_time() < end; i++) {
        SDL_Event event;
        if (i < ROUNDS) {
            send_frame(server, 1, SIZE);
            server_send_state(server, "title", title);
            server_send_event(server, "copy", title);
        }
        there = try_to_say(&client, i % 2 ? "got" : "move 1 2 0");
        while (server_next(server, &event, 10)) {
        }
        const size_t now = bytes_in_use();
        most = now > before + most ? now - before : most;
    }
    assert_false(there);
    if (most > 4 * (size_t)SIZE)
        fail_msg("%zu bytes are kept for a browser that does not read", most);
    assert_true(was_said("the browser has not answered for 4 s: its connection is ended"));
    assert_false(server_takes_frame(server));
    g_free(title);
    close(client.socket);
    server_free(server);
}

static void one_that_says_too_much_is_ended(void **state)
{
    Server *server = new_server();
    Client client = enter(server);
    (void)state;
    const size_t before = bytes_in_use();
    size_t most = 0;
    int count = 0;
    for (; count < 1000000 && !was_said("a browser is sent away: it sends too many messages"); count++) {
        SDL_Event event;
        assert_true(try_to_say(&client, "move 1 2 0"));
        while (server_next(server, &event, 0)) {
        }
        const size_t now = count % 100 ? 0 : bytes_in_use();
        most = now > before + most ? now - before : most;
    }
    assert_in_range(count, 6000, 999999);
    if (most > 1 << 19)
        fail_msg("%zu bytes are kept of a browser's flood", most);
    static unsigned char bytes[65537];
    size_t size = 0;
    assert_int_equal(listen_to(&client, bytes, &size), 8); /* it is told why */
    assert_string_equal((const char *)bytes + 2, "it sends too many messages");
    close(client.socket);
    client = enter(server); /* it may come again */
    say(&client, "size 99 98");
    assert_int_equal(next_of(server, SDL_WINDOWEVENT).window.data2, 98);
    close(client.socket);
    server_free(server);
}

static void nonsense_ends_the_connection(void **state)
{
    Server *server = new_server();
    Client client = enter(server);
    (void)state;
    say(&client, "format the disk");
    expect_end(&client);
    assert_true(was_said("a browser is sent away: this is nothing that the page says"));
    close(client.socket);
    client = enter(server);
    say(&client, "size 99 98");
    assert_int_equal(next_of(server, SDL_WINDOWEVENT).window.data2, 98);
    close(client.socket);
    server_free(server);
}

static void a_place_that_cannot_be_had_is_explained(void **state)
{
    Server *server = new_server();
    DvText why = {0};
    (void)state;
    assert_null(server_new("127.0.0.1", port_of(server), 20, &why));
    assert_non_null(strstr(why.at, "another program has it"));
    dv_text_free(&why);
    assert_null(server_new("localhost.", 0, 20, &why));
    assert_non_null(strstr(why.at, "is no address"));
    dv_text_free(&why);
    assert_null(server_new("192.0.2.1", 0, 20, &why));
    assert_non_null(strstr(why.at, "no network of this machine"));
    dv_text_free(&why);
    server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_events),
        cmocka_unit_test(keys_have_names),
        cmocka_unit_test(each_line_has_its_events),
        cmocka_unit_test(text_stays_whole),
        cmocka_unit_test(all_is_let_go),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(only_the_token_opens),
        cmocka_unit_test(frames_wait_for_the_browser),
        cmocka_unit_test(the_last_one_has_the_window),
        cmocka_unit_test(a_flood_is_held_back),
        cmocka_unit_test_setup_teardown(one_that_never_reads_is_ended, begin_hearing, end_hearing),
        cmocka_unit_test_setup_teardown(one_that_says_too_much_is_ended, begin_hearing, end_hearing),
        cmocka_unit_test_setup_teardown(nonsense_ends_the_connection, begin_hearing, end_hearing),
        cmocka_unit_test(a_place_that_cannot_be_had_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
