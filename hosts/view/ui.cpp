/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions of ui.h over Dear ImGui, of 1.86 or later.
 */
#include "ui.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>
#include <imgui.h>
#if __has_include(<backends/imgui_impl_sdl2.h>)
#include <backends/imgui_impl_sdl2.h>
#else
#include <backends/imgui_impl_sdl.h>
#endif
#include <backends/imgui_impl_opengl3.h>

static ImU32 color_of(uint32_t c)
{
    return IM_COL32(c >> 24, c >> 16 & 255, c >> 8 & 255, c & 255);
}

static ImVec4 vec_of(uint32_t c)
{
    return ImGui::ColorConvertU32ToFloat4(color_of(c));
}

static void set_style(float scale)
{
    ImGuiStyle &style = ImGui::GetStyle();
    ImGui::StyleColorsDark();
    style.WindowRounding = 0;
    style.ChildRounding = 4;
    style.FrameRounding = 4;
    style.PopupRounding = 5;
    style.GrabRounding = 4;
    style.TabRounding = 4;
    style.ScrollbarRounding = 6;
    style.ScrollbarSize = 12;
    style.WindowBorderSize = 0;
    style.WindowMinSize = ImVec2(1, 1);
    style.FramePadding = ImVec2(8, 4);
    style.ItemSpacing = ImVec2(8, 5);
    style.WindowPadding = ImVec2(10, 8);
    style.CellPadding = ImVec2(6, 3);
    ImVec4 *colors = style.Colors;
    colors[ImGuiCol_Text] = vec_of(UI_TEXT);
    colors[ImGuiCol_TextDisabled] = vec_of(UI_DIM);
    colors[ImGuiCol_WindowBg] = vec_of(0x22262cff);
    colors[ImGuiCol_ChildBg] = vec_of(0x1c1f24ff);
    colors[ImGuiCol_PopupBg] = vec_of(0x2a2f36ff);
    colors[ImGuiCol_MenuBarBg] = vec_of(0x1a1d22ff);
    colors[ImGuiCol_Border] = vec_of(0x3a404aff);
    colors[ImGuiCol_FrameBg] = vec_of(0x2e343cff);
    colors[ImGuiCol_FrameBgHovered] = vec_of(0x39414bff);
    colors[ImGuiCol_FrameBgActive] = vec_of(0x414b57ff);
    colors[ImGuiCol_Button] = vec_of(0x343b45ff);
    colors[ImGuiCol_ButtonHovered] = vec_of(0x43505fff);
    colors[ImGuiCol_ButtonActive] = vec_of(0x4fa3e0ff);
    colors[ImGuiCol_Header] = vec_of(0x2f5d82ff);
    colors[ImGuiCol_HeaderHovered] = vec_of(0x364656ff);
    colors[ImGuiCol_HeaderActive] = vec_of(0x3a6f9bff);
    colors[ImGuiCol_Tab] = vec_of(0x272c33ff);
    colors[ImGuiCol_TabHovered] = vec_of(0x3d6d94ff);
    colors[ImGuiCol_TabActive] = vec_of(0x33597aff);
    colors[ImGuiCol_TitleBg] = colors[ImGuiCol_TitleBgActive] = vec_of(0x1a1d22ff);
    colors[ImGuiCol_CheckMark] = colors[ImGuiCol_SliderGrab] = vec_of(UI_ACCENT);
    colors[ImGuiCol_TableHeaderBg] = vec_of(0x2a2f36ff);
    colors[ImGuiCol_TableRowBgAlt] = vec_of(0xffffff08);
    colors[ImGuiCol_PlotHistogram] = vec_of(UI_ACCENT);
    style.ScaleAllSizes(scale);
}

/* Where the last event says that the mouse is, and which buttons are down: what the system says between events may be late, or ahead of
 * events that wait. */
static ImVec2 mouse(-FLT_MAX, -FLT_MAX);
static bool buttons[3]; /* left, right, middle */

/* Without a window of SDL: its events, by hand. */

static bool has_window;
static double last_frame; /* s */

static void set_key(ImGuiKey key, bool down)
{
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddKeyEvent(key, down);
#else
    ImGui::GetIO().KeysDown[key] = down;
#endif
}

static void set_modifiers(Uint16 modifiers)
{
    ImGuiIO &io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18900
    io.AddKeyEvent(ImGuiMod_Ctrl, (modifiers & KMOD_CTRL) != 0);
    io.AddKeyEvent(ImGuiMod_Shift, (modifiers & KMOD_SHIFT) != 0);
    io.AddKeyEvent(ImGuiMod_Alt, (modifiers & KMOD_ALT) != 0);
#elif IMGUI_VERSION_NUM >= 18700
    io.AddKeyEvent(ImGuiKey_ModCtrl, (modifiers & KMOD_CTRL) != 0);
    io.AddKeyEvent(ImGuiKey_ModShift, (modifiers & KMOD_SHIFT) != 0);
    io.AddKeyEvent(ImGuiKey_ModAlt, (modifiers & KMOD_ALT) != 0);
#else
    io.KeyCtrl = (modifiers & KMOD_CTRL) != 0;
    io.KeyShift = (modifiers & KMOD_SHIFT) != 0;
    io.KeyAlt = (modifiers & KMOD_ALT) != 0;
#endif
}

/* What editors of text use. */
static const struct {
    SDL_Keycode key;
    ImGuiKey ui;
} keys[] = {
    {SDLK_TAB, ImGuiKey_Tab},
    {SDLK_LEFT, ImGuiKey_LeftArrow},
    {SDLK_RIGHT, ImGuiKey_RightArrow},
    {SDLK_UP, ImGuiKey_UpArrow},
    {SDLK_DOWN, ImGuiKey_DownArrow},
    {SDLK_PAGEUP, ImGuiKey_PageUp},
    {SDLK_PAGEDOWN, ImGuiKey_PageDown},
    {SDLK_HOME, ImGuiKey_Home},
    {SDLK_END, ImGuiKey_End},
    {SDLK_INSERT, ImGuiKey_Insert},
    {SDLK_DELETE, ImGuiKey_Delete},
    {SDLK_BACKSPACE, ImGuiKey_Backspace},
    {SDLK_SPACE, ImGuiKey_Space},
    {SDLK_RETURN, ImGuiKey_Enter},
    {SDLK_KP_ENTER, ImGuiKey_Enter},
    {SDLK_ESCAPE, ImGuiKey_Escape},
    {SDLK_a, ImGuiKey_A},
    {SDLK_c, ImGuiKey_C},
    {SDLK_v, ImGuiKey_V},
    {SDLK_x, ImGuiKey_X},
    {SDLK_y, ImGuiKey_Y},
    {SDLK_z, ImGuiKey_Z},
};

static void name_keys(void)
{
#if IMGUI_VERSION_NUM < 18700
    for (const auto &key : keys)
        ImGui::GetIO().KeyMap[key.ui] = key.ui;
#endif
}

static void take_key(const SDL_KeyboardEvent &event)
{
    for (const auto &key : keys)
        if (key.key == event.keysym.sym)
            set_key(key.ui, event.type == SDL_KEYDOWN);
}

static void take_event(const SDL_Event &event)
{
    ImGuiIO &io = ImGui::GetIO();
    switch (event.type) {
    case SDL_MOUSEWHEEL:
        io.MouseWheel += event.wheel.preciseY;
        io.MouseWheelH += event.wheel.preciseX;
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        take_key(event.key);
        break;
    case SDL_TEXTINPUT:
        io.AddInputCharactersUTF8(event.text.text);
        break;
    case SDL_WINDOWEVENT:
        if (event.window.event == SDL_WINDOWEVENT_LEAVE)
            mouse = ImVec2(-FLT_MAX, -FLT_MAX);
        break;
    default:
        break;
    }
}

static void count_time(void)
{
    const double now = 1e-3 * (double)SDL_GetTicks64();
    ImGui::GetIO().DeltaTime = now > last_frame ? (float)(now - last_frame) : 1e-4f;
    last_frame = now;
}

/* What letters are made of, for another size of theirs. */
static char *font_file;
static float font_scale = 1;

/* Letters of `scale` times the pixels, shown as large as ever. */
static void make_font(float scale)
{
    /* DejaVu Sans: letters of Europe, Greek, arrows, superscripts and mathematical signs. */
    static const ImWchar ranges[] = {0x20, 0x17f, 0x370, 0x3ff, 0x2000, 0x22ff, 0x25a0, 0x25ff, 0};
    ImGuiIO &io = ImGui::GetIO();
    io.Fonts->Clear();
    if (font_file)
        io.Fonts->AddFontFromFileTTF(font_file, floorf(15 * font_scale) * scale, nullptr, ranges);
    io.FontGlobalScale = (font_file ? 1 : font_scale) / (font_file ? scale : 1);
}

extern "C" {

bool ui_start(SDL_Window *window, void *context, const char *font, float scale)
{
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.MouseDoubleClickTime = 0.5f; /* s: where pictures take long, a click does too */
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    free(font_file);
    font_file = font ? strdup(font) : nullptr;
    font_scale = scale;
    make_font(1);
    set_style(scale);
    has_window = window != nullptr;
    if (!has_window)
        name_keys();
    if (has_window && !ImGui_ImplSDL2_InitForOpenGL(window, context))
        return false;
    return ImGui_ImplOpenGL3_Init("#version 330");
}

void ui_on_copy(void (*copy)(void *context, const char *text), void *context)
{
    ImGuiIO &io = ImGui::GetIO();
    io.ClipboardUserData = context;
    io.SetClipboardTextFn = copy;
    io.GetClipboardTextFn = [](void *) -> const char * { return ""; };
}

void ui_stop(void)
{
    ImGui_ImplOpenGL3_Shutdown();
    if (has_window)
        ImGui_ImplSDL2_Shutdown();
    ImGui::DestroyContext();
}

void ui_resize(float width, float height, float scale)
{
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = ImVec2(width, height);
    if (io.DisplayFramebufferScale.x == scale)
        return;
    io.DisplayFramebufferScale = ImVec2(scale, scale);
    make_font(scale);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

void ui_event(const SDL_Event *event)
{
    static const int numbers[] = {0, 2, 1}; /* SDL: left, middle, right */
    if (has_window)
        ImGui_ImplSDL2_ProcessEvent(event);
    else
        take_event(*event);
    switch (event->type) {
    case SDL_MOUSEMOTION:
        mouse = ImVec2((float)event->motion.x, (float)event->motion.y);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        if (event->button.button >= SDL_BUTTON_LEFT && event->button.button <= SDL_BUTTON_RIGHT)
            buttons[numbers[event->button.button - 1]] = event->type == SDL_MOUSEBUTTONDOWN;
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        set_modifiers(event->key.keysym.mod);
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_FOCUS_LOST)
            memset(buttons, 0, sizeof buttons);
        break;
    default:
        break;
    }
}

void ui_begin(void)
{
    ImGui_ImplOpenGL3_NewFrame();
    if (has_window)
        ImGui_ImplSDL2_NewFrame();
    else
        count_time();
    if (mouse.x > -FLT_MAX || !has_window)
        ImGui::GetIO().MousePos = mouse;
    memcpy(ImGui::GetIO().MouseDown, buttons, sizeof buttons);
    ImGui::NewFrame();
}

void ui_end(void)
{
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

const char *ui_cursor(void)
{
    switch (ImGui::GetMouseCursor()) {
    case ImGuiMouseCursor_TextInput:
        return "text";
    case ImGuiMouseCursor_ResizeAll:
        return "move";
    case ImGuiMouseCursor_ResizeNS:
        return "ns-resize";
    case ImGuiMouseCursor_ResizeEW:
        return "ew-resize";
    case ImGuiMouseCursor_ResizeNESW:
        return "nesw-resize";
    case ImGuiMouseCursor_ResizeNWSE:
        return "nwse-resize";
    case ImGuiMouseCursor_Hand:
        return "pointer";
    case ImGuiMouseCursor_NotAllowed:
        return "not-allowed";
    default:
        return "default";
    }
}

bool ui_wants_keys(void)
{
    return ImGui::GetIO().WantTextInput;
}

float ui_line_height(void)
{
    return ImGui::GetFrameHeight();
}

UiBox ui_screen(void)
{
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    return {0, 0, size.x, size.y};
}

/* Panels */

bool ui_panel_begin(const char *name, UiBox box, bool padded, bool scrolls)
{
    const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
    ImGui::SetNextWindowPos(ImVec2(box.x, box.y));
    ImGui::SetNextWindowSize(ImVec2(box.width, box.height));
    if (!padded)
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    const bool open = ImGui::Begin(
        name, nullptr, scrolls ? flags & ~ImGuiWindowFlags_NoScrollbar : flags | ImGuiWindowFlags_NoScrollWithMouse);
    if (!padded)
        ImGui::PopStyleVar();
    return open;
}

void ui_panel_end(void)
{
    ImGui::End();
}

bool ui_window_begin(const char *name, bool *open, float width, float height)
{
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowSize(ImVec2(width, height), ImGuiCond_Appearing);
    ImGui::SetNextWindowPos(ImVec2(screen.x / 2, screen.y / 2), ImGuiCond_Appearing, ImVec2(0.5f, 0.5f));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6);
    const bool shown = ImGui::Begin(name, open, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar(2);
    return shown;
}

void ui_window_end(void)
{
    ImGui::End();
}

bool ui_window_is_in_front(void)
{
    return ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
}

bool ui_child_begin(const char *name, float width, float height, bool border)
{
    return ImGui::BeginChild(name, ImVec2(width, height), border);
}

void ui_child_end(void)
{
    ImGui::EndChild();
}

bool ui_splitter(const char *name, UiBox box, bool vertical, float *size, float sign, float least, float most)
{
    bool moved = false;
    if (ui_panel_begin(name, box, false, false)) {
        ImGui::InvisibleButton(name, ImVec2(box.width, box.height));
        if (ImGui::IsItemHovered() || ImGui::IsItemActive())
            ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        if (ImGui::IsItemActive()) {
            const ImVec2 delta = ImGui::GetIO().MouseDelta;
            *size += sign * (vertical ? delta.x : delta.y);
            moved = true;
        }
    }
    ui_panel_end();
    *size = fminf(fmaxf(*size, least), fmaxf(least, most));
    return moved;
}

void ui_push(const char *id)
{
    ImGui::PushID(id);
}

void ui_pop(void)
{
    ImGui::PopID();
}

/* Menus */

bool ui_menu_bar_begin(void)
{
    return ImGui::BeginMainMenuBar();
}

float ui_menu_bar_end(void)
{
    const float height = ImGui::GetWindowHeight();
    ImGui::EndMainMenuBar();
    return height;
}

bool ui_menu_begin(const char *label)
{
    return ImGui::BeginMenu(label);
}

void ui_menu_end(void)
{
    ImGui::EndMenu();
}

bool ui_menu_item(const char *label, const char *shortcut, bool checked, bool enabled)
{
    return ImGui::MenuItem(label, shortcut, checked, enabled);
}

bool ui_menu_choice(const char *label, const char *state, bool checked)
{
    const float em = ImGui::GetFontSize();
    const bool pressed = ImGui::Selectable(label, checked, ImGuiSelectableFlags_DontClosePopups, ImVec2(em * 20, 0));
    ImGui::SameLine(em * 14);
    ImGui::TextDisabled("%s", state);
    return pressed;
}

bool ui_fold_begin(const char *id)
{
    if (ImGui::Button("\xc2\xbb"))
        ImGui::OpenPopup(id);
    ui_tooltip("more tools");
    return ImGui::BeginPopup(id);
}

bool ui_context_menu_begin(const char *id)
{
    return ImGui::BeginPopupContextItem(id);
}

void ui_popup_end(void)
{
    ImGui::EndPopup();
}

/* They close when the focus goes to what is not above them. */
bool ui_close_popups(void)
{
    if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup))
        return false;
    ImGui::SetWindowFocus(nullptr);
    return true;
}

void ui_separator(void)
{
    ImGui::Separator();
}

/* Text */

void ui_text(uint32_t color, const char *text)
{
    ImGui::PushStyleColor(ImGuiCol_Text, color_of(color));
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

void ui_mark(uint32_t color, const char *text)
{
    ImGui::PushStyleColor(ImGuiCol_Text, color_of(color));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

void ui_wrapped(uint32_t color, const char *text)
{
    ImGui::PushStyleColor(ImGuiCol_Text, color_of(color));
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void ui_tooltip(const char *text)
{
    if (!text || !*text || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 30);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void ui_same_line(float offset)
{
    ImGui::SameLine(offset);
}

void ui_heading(const char *text)
{
    ImGui::Spacing();
    ImGui::PushStyleColor(ImGuiCol_Text, color_of(UI_ACCENT));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    ImGui::Separator();
}

float ui_text_width(const char *text)
{
    return ImGui::CalcTextSize(text).x;
}

float ui_width_left(void)
{
    return ImGui::GetContentRegionAvail().x;
}

/* Things to press */

static void draw_icon(ImDrawList *list, UiIcon icon, ImVec2 c, float r, ImU32 color)
{
    const float w = fmaxf(1.5f, r * 0.22f);
    switch (icon) {
    case UI_PLAY:
        list->AddTriangleFilled(ImVec2(c.x - r * 0.6f, c.y - r * 0.8f), ImVec2(c.x - r * 0.6f, c.y + r * 0.8f),
                                ImVec2(c.x + r * 0.9f, c.y), color);
        break;
    case UI_PAUSE:
        list->AddRectFilled(ImVec2(c.x - r * 0.7f, c.y - r * 0.8f), ImVec2(c.x - r * 0.15f, c.y + r * 0.8f), color, 1);
        list->AddRectFilled(ImVec2(c.x + r * 0.15f, c.y - r * 0.8f), ImVec2(c.x + r * 0.7f, c.y + r * 0.8f), color, 1);
        break;
    case UI_STEP:
        list->AddTriangleFilled(ImVec2(c.x - r * 0.7f, c.y - r * 0.7f), ImVec2(c.x - r * 0.7f, c.y + r * 0.7f),
                                ImVec2(c.x + r * 0.35f, c.y), color);
        list->AddRectFilled(ImVec2(c.x + r * 0.4f, c.y - r * 0.7f), ImVec2(c.x + r * 0.75f, c.y + r * 0.7f), color, 1);
        break;
    case UI_RESET:
        list->AddRectFilled(ImVec2(c.x - r * 0.75f, c.y - r * 0.7f), ImVec2(c.x - r * 0.4f, c.y + r * 0.7f), color, 1);
        list->AddTriangleFilled(ImVec2(c.x + r * 0.7f, c.y - r * 0.7f), ImVec2(c.x - r * 0.35f, c.y),
                                ImVec2(c.x + r * 0.7f, c.y + r * 0.7f), color);
        break;
    case UI_RELOAD:
        list->PathArcTo(c, r * 0.7f, -0.4f, 4.4f, 20);
        list->PathStroke(color, 0, w);
        list->AddTriangleFilled(ImVec2(c.x + r * 0.25f, c.y - r * 0.55f), ImVec2(c.x + r * 1.05f, c.y - r * 0.5f),
                                ImVec2(c.x + r * 0.75f, c.y + r * 0.15f), color);
        break;
    case UI_CAMERA:
        list->AddRect(ImVec2(c.x - r * 0.9f, c.y - r * 0.5f), ImVec2(c.x + r * 0.9f, c.y + r * 0.7f), color, 2, 0, w);
        list->AddCircle(ImVec2(c.x, c.y + r * 0.1f), r * 0.32f, color, 16, w);
        list->AddRectFilled(ImVec2(c.x - r * 0.35f, c.y - r * 0.8f), ImVec2(c.x + r * 0.35f, c.y - r * 0.5f), color, 1);
        break;
    case UI_RECORD:
        list->AddCircleFilled(c, r * 0.7f, color, 24);
        break;
    case UI_STOP:
        list->AddRectFilled(ImVec2(c.x - r * 0.65f, c.y - r * 0.65f), ImVec2(c.x + r * 0.65f, c.y + r * 0.65f), color,
                            2);
        break;
    case UI_EYE:
        list->PathArcTo(ImVec2(c.x, c.y + r * 0.6f), r * 1.1f, -2.45f, -0.7f, 16);
        list->PathStroke(color, 0, w);
        list->PathArcTo(ImVec2(c.x, c.y - r * 0.6f), r * 1.1f, 0.7f, 2.45f, 16);
        list->PathStroke(color, 0, w);
        list->AddCircleFilled(c, r * 0.3f, color, 16);
        break;
    case UI_FIT:
        for (int i = 0; i < 4; i++) {
            const float sx = i & 1 ? 1.f : -1.f, sy = i & 2 ? 1.f : -1.f;
            list->AddLine(ImVec2(c.x + sx * r * 0.8f, c.y + sy * r * 0.8f),
                          ImVec2(c.x + sx * r * 0.25f, c.y + sy * r * 0.8f), color, w);
            list->AddLine(ImVec2(c.x + sx * r * 0.8f, c.y + sy * r * 0.8f),
                          ImVec2(c.x + sx * r * 0.8f, c.y + sy * r * 0.25f), color, w);
        }
        list->AddCircleFilled(c, r * 0.2f, color, 12);
        break;
    }
}

bool ui_icon_button(const char *id, UiIcon icon, const char *tooltip, bool lit, bool enabled)
{
    const float size = ImGui::GetFrameHeight() * 1.15f;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::BeginDisabled(!enabled);
    const bool pressed = ImGui::InvisibleButton(id, ImVec2(size * 1.25f, size));
    ImGui::EndDisabled();
    const bool hovered = enabled && ImGui::IsItemHovered();
    ImDrawList *list = ImGui::GetWindowDrawList();
    const ImVec2 end(at.x + size * 1.25f, at.y + size);
    list->AddRectFilled(at, end, color_of(lit ? 0x2f5d82ff : hovered ? 0x43505fff : 0x2e343cff), 5);
    const uint32_t color = !enabled                               ? 0x565d67ff
                           : icon == UI_RECORD || icon == UI_STOP ? 0xec6a5eff
                           : lit || hovered                       ? 0xffffffff
                                                                  : 0xc3c9d1ff;
    draw_icon(list, icon, ImVec2((at.x + end.x) / 2, (at.y + end.y) / 2), size * 0.3f, color_of(color));
    ui_tooltip(tooltip);
    return pressed && enabled;
}

bool ui_button(const char *label)
{
    return ImGui::Button(label);
}

bool ui_small_button(const char *label)
{
    return ImGui::SmallButton(label);
}

bool ui_toggle(const char *label, bool lit)
{
    if (lit)
        ImGui::PushStyleColor(ImGuiCol_Button, color_of(0x2f6d9fff));
    const bool pressed = ImGui::Button(label);
    if (lit)
        ImGui::PopStyleColor();
    return pressed;
}

bool ui_checkbox(const char *label, bool *on)
{
    return ImGui::Checkbox(label, on);
}

bool ui_selectable(const char *label, bool selected)
{
    return ImGui::Selectable(label, selected, ImGuiSelectableFlags_AllowDoubleClick);
}

bool ui_double_clicked(void)
{
    return ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0);
}

bool ui_combo(const char *id, const char *const *items, int *selected)
{
    int count = 0;
    while (items[count])
        count++;
    return ImGui::Combo(id, selected, items, count);
}

void ui_enabled(bool enabled)
{
    if (enabled)
        ImGui::EndDisabled();
    else
        ImGui::BeginDisabled();
}

void ui_width(float width)
{
    ImGui::SetNextItemWidth(width);
}

bool ui_section(const char *label, bool open)
{
    return ImGui::CollapsingHeader(label, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

/* Editing */

bool ui_edit_text(const char *id, const char *hint, char *text, size_t size)
{
    ImGui::InputTextWithHint(id, hint ? hint : "", text, size, ImGuiInputTextFlags_AutoSelectAll);
    return ImGui::IsItemDeactivatedAfterEdit();
}

bool ui_search(const char *id, const char *hint, char *text, size_t size)
{
    return ImGui::InputTextWithHint(id, hint, text, size,
                                    ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
}

bool ui_edit_line(const char *id, char *text, size_t size, bool *entered)
{
    bool enter =
        ImGui::InputText(id, text, size, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (entered)
        *entered = enter;
    return ImGui::IsItemEdited();
}

bool ui_edit_double(const char *id, double *value, const char *format)
{
    ImGui::InputDouble(id, value, 0, 0, format);
    return ImGui::IsItemDeactivatedAfterEdit();
}

bool ui_drag_double(const char *id, double *value, double least, double most, const char *format, bool logarithmic)
{
    return ImGui::SliderScalar(id, ImGuiDataType_Double, value, &least, &most, format,
                               logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
}

bool ui_edit_color(const char *id, double color[4])
{
    float parts[4] = {(float)color[0], (float)color[1], (float)color[2], (float)color[3]};
    if (ImGui::ColorEdit4(id, parts, ImGuiColorEditFlags_AlphaPreview | ImGuiColorEditFlags_Float))
        for (int i = 0; i < 4; i++)
            color[i] = parts[i];
    return ImGui::IsItemDeactivatedAfterEdit();
}

bool ui_is_edited(void)
{
    return ImGui::IsItemActive();
}

/* What is scrolled away gets no keys. */
void ui_focus_next(void)
{
    if (!ImGui::IsRectVisible(ImVec2(1, ImGui::GetFrameHeight())))
        ImGui::SetScrollHereY();
    ImGui::SetKeyboardFocusHere();
}

/* Tabs, tables, long lists */

bool ui_tabs_begin(const char *id)
{
    return ImGui::BeginTabBar(id);
}

void ui_tabs_end(void)
{
    ImGui::EndTabBar();
}

bool ui_tab_begin(const char *label, bool front)
{
    return ImGui::BeginTabItem(label, nullptr, front ? ImGuiTabItemFlags_SetSelected : 0);
}

void ui_tab_end(void)
{
    ImGui::EndTabItem();
}

bool ui_table_begin(const char *id, int columns, const char *const *heads, const float *widths, float height)
{
    const ImGuiTableFlags flags =
        ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | (height != 0 ? ImGuiTableFlags_ScrollY : 0);
    if (!ImGui::BeginTable(id, columns, flags, ImVec2(0, height)))
        return false;
    for (int i = 0; i < columns; i++)
        ImGui::TableSetupColumn(heads ? heads[i] : "",
                                widths && widths[i] > 0 ? ImGuiTableColumnFlags_WidthFixed
                                                        : ImGuiTableColumnFlags_WidthStretch,
                                widths && widths[i] > 0 ? widths[i] : 1.0f);
    if (heads) {
        ImGui::TableSetupScrollFreeze(0, 1);
        ImGui::TableHeadersRow();
    }
    return true;
}

void ui_table_row(void)
{
    ImGui::TableNextRow();
}

void ui_table_cell(void)
{
    ImGui::TableNextColumn();
}

void ui_table_end(void)
{
    ImGui::EndTable();
}

struct UiRows {
    ImGuiListClipper clipper;
};

UiRows *ui_rows_begin(int count)
{
    UiRows *rows = new UiRows;
    rows->clipper.Begin(count);
    return rows;
}

bool ui_rows(UiRows *rows, int *first, int *end)
{
    if (!rows->clipper.Step()) {
        delete rows;
        return false;
    }
    *first = rows->clipper.DisplayStart;
    *end = rows->clipper.DisplayEnd;
    return true;
}

void ui_scroll_here(void)
{
    ImGui::SetScrollHereY(0.5f);
}

bool ui_at_bottom(void)
{
    return ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
}

UiTreeClick ui_tree_row(const UiTreeRow *row)
{
    const float height = ImGui::GetTextLineHeight() + 6, indent = ImGui::GetFontSize() * 0.95f;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    UiTreeClick click = UI_CLICK_NONE;
    ImGui::PushID(row->id);
    const bool pressed = ImGui::InvisibleButton("row", ImVec2(fmaxf(width, 1), height));
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList *list = ImGui::GetWindowDrawList();
    if (row->selected || hovered)
        list->AddRectFilled(at, ImVec2(at.x + width, at.y + height), color_of(row->selected ? 0x2f5d82ff : 0x2d343dff),
                            4);
    float x = at.x + 4 + indent * (float)row->depth;
    const bool on_arrow = row->has_children && ImGui::GetIO().MousePos.x < x + indent;
    const float middle = at.y + height / 2, s = ImGui::GetFontSize() * 0.26f;
    if (row->has_children) {
        const ImU32 color = color_of(UI_DIM);
        if (row->open)
            list->AddTriangleFilled(ImVec2(x, middle - s * 0.6f), ImVec2(x + 2 * s, middle - s * 0.6f),
                                    ImVec2(x + s, middle + s * 0.9f), color);
        else
            list->AddTriangleFilled(ImVec2(x + s * 0.3f, middle - s), ImVec2(x + s * 1.8f, middle),
                                    ImVec2(x + s * 0.3f, middle + s), color);
        if (pressed && on_arrow)
            click = UI_CLICK_ARROW;
    }
    x += indent;
    const float badge = ImGui::GetFontSize() * 0.54f;
    const ImVec2 centre(x + badge, middle);
    const ImU32 shade = color_of(row->dim ? (row->color & 0xffffff00) | 0x60 : row->color);
    const char letter[2] = {row->letter, 0};
    const float small = ImGui::GetFontSize() * 0.74f;
    const ImVec2 extent = ImGui::GetFont()->CalcTextSizeA(small, 1000, 0, letter);
    if (row->letter)
        list->AddRectFilled(ImVec2(centre.x - badge, centre.y - badge), ImVec2(centre.x + badge, centre.y + badge),
                            shade, 4);
    else
        list->AddCircleFilled(centre, badge * 0.6f, shade, 16);
    list->AddText(ImGui::GetFont(), small, ImVec2(centre.x - extent.x / 2, centre.y - extent.y / 2),
                  color_of(0x14171bff), letter);
    x += 2 * badge + 6;
    list->PushClipRect(at, ImVec2(at.x + width - (row->mark ? 16 : 2), at.y + height), true);
    list->AddText(ImVec2(x, at.y + 3), color_of(row->dim ? UI_DIM : UI_TEXT), row->name);
    if (row->remark)
        list->AddText(ImVec2(x + ImGui::CalcTextSize(row->name).x + 8, at.y + 3),
                      color_of(row->selected ? 0xb7c4d0ff : 0x737b86ff), row->remark);
    list->PopClipRect();
    if (row->mark)
        list->AddCircleFilled(ImVec2(at.x + width - 9, middle), 4, color_of(row->mark), 12);
    if (click == UI_CLICK_NONE && hovered && !on_arrow && ImGui::IsMouseDoubleClicked(0))
        return UI_CLICK_DOUBLE;
    return click == UI_CLICK_NONE && pressed ? UI_CLICK_ROW : click;
}

/* Plots */

/* A step of a scale with about `pieces` marks: 1, 2 or 5 times a power of ten. */
static double nice_step(double range, int pieces)
{
    const double raw = range / pieces, power = pow(10, floor(log10(raw))), share = raw / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

/* As many digits as tell neighbouring lines apart. */
static void print_tick(char *text, size_t size, double value, double step, double most)
{
    const double digits = ceil(log10(fmax(most, step) / step)) + 1;
    snprintf(text, size, "%.*g", (int)fmin(fmax(digits, 4), 9), fabs(value) < step * 1e-9 ? 0.0 : value);
}

static const uint32_t curve_colors[] = {0x4fa3e0ff, 0xe8934bff, 0x6fc07aff, 0xd66fb0ff,
                                        0xc9b458ff, 0x6fc5c9ff, 0xa58be0ff, 0xec6a5eff};

void ui_plot(const char *id, const float *x, const UiCurve *curves, int curve_count, int count, const char *x_unit,
             const char *unit, float height)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = fmaxf(ImGui::GetContentRegionAvail().x, 80), line = ImGui::GetTextLineHeight();
    ImGui::InvisibleButton(id, ImVec2(width, height));
    ImDrawList *list = ImGui::GetWindowDrawList();
    ImVec2 begin(at.x + line * 4.2f, at.y + 6);
    const ImVec2 end(at.x + width - 8, at.y + height - line * 1.35f);
    list->AddRectFilled(at, ImVec2(at.x + width, at.y + height), color_of(0x171a1eff), 4);
    float least = INFINITY, most = -INFINITY;
    for (int c = 0; c < curve_count; c++)
        for (int i = 0; i < count; i++)
            if (isfinite(curves[c].values[i])) {
                least = fminf(least, curves[c].values[i]);
                most = fmaxf(most, curves[c].values[i]);
            }
    if (count < 2 || !(most >= least) || !(x[count - 1] > x[0])) {
        list->AddText(ImVec2(begin.x, (begin.y + end.y) / 2 - line / 2), color_of(UI_DIM),
                      "samples come with the next steps");
        return;
    }
    const double middle = (least + (double)most) / 2, same = middle != 0 ? fabs(middle) * 0.1 : 1;
    const double half = most > least ? fmax((most - (double)least) / 2 * 1.08, fabs(middle) * 1e-6) : same;
    const double bottom = middle - half, top = middle + half, left = x[0], right = x[count - 1];
    const double step_y = nice_step(top - bottom, (int)fmax(2, (end.y - begin.y) / (line * 2)));
    const double largest = fmax(fabs(bottom), fabs(top));
    char text[64];
    for (double v = ceil(bottom / step_y) * step_y; v <= top; v += step_y) {
        print_tick(text, sizeof text, v, step_y, largest);
        begin.x = fmaxf(begin.x, at.x + ImGui::CalcTextSize(text).x + 10);
    }
    const double sx = (end.x - begin.x) / (right - left), sy = (end.y - begin.y) / (top - bottom);
    for (double v = ceil(bottom / step_y) * step_y; v <= top; v += step_y) {
        const float y = end.y - (float)((v - bottom) * sy);
        print_tick(text, sizeof text, v, step_y, largest);
        list->AddLine(ImVec2(begin.x, y), ImVec2(end.x, y), color_of(0x2b3037ff));
        list->AddText(ImVec2(begin.x - ImGui::CalcTextSize(text).x - 5, y - line / 2), color_of(UI_DIM), text);
    }
    const double step_x = nice_step(right - left, (int)fmax(2, (end.x - begin.x) / (line * 5)));
    for (double v = ceil(left / step_x) * step_x; v <= right; v += step_x) {
        const float px = begin.x + (float)((v - left) * sx);
        snprintf(text, sizeof text, "%.4g %s", v, x_unit);
        list->AddLine(ImVec2(px, begin.y), ImVec2(px, end.y), color_of(0x2b3037ff));
        list->AddText(ImVec2(px - ImGui::CalcTextSize(text).x / 2, end.y + 2), color_of(UI_DIM), text);
    }
    list->PushClipRect(begin, end, true);
    for (int c = 0; c < curve_count; c++)
        for (int i = 1; i < count; i++) {
            const float a = curves[c].values[i - 1], b = curves[c].values[i];
            if (isfinite(a) && isfinite(b))
                list->AddLine(ImVec2(begin.x + (float)((x[i - 1] - left) * sx), end.y - (float)((a - bottom) * sy)),
                              ImVec2(begin.x + (float)((x[i] - left) * sx), end.y - (float)((b - bottom) * sy)),
                              color_of(curve_colors[c % 8]), 1.6f);
        }
    list->PopClipRect();
    float legend = end.x;
    for (int c = curve_count; curve_count > 1 && c-- > 0;) {
        legend -= ImGui::CalcTextSize(curves[c].name).x + 22;
        list->AddRectFilled(ImVec2(legend, begin.y + line * 0.35f), ImVec2(legend + 9, begin.y + line * 0.35f + 6),
                            color_of(curve_colors[c % 8]), 2);
        list->AddText(ImVec2(legend + 13, begin.y), color_of(UI_TEXT), curves[c].name);
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!ImGui::IsItemHovered() || mouse.x < begin.x || mouse.x > end.x)
        return;
    int near = 0;
    for (int i = 1; i < count; i++)
        if (fabs((x[i] - left) * sx - (mouse.x - begin.x)) < fabs((x[near] - left) * sx - (mouse.x - begin.x)))
            near = i;
    const float px = begin.x + (float)((x[near] - left) * sx);
    list->AddLine(ImVec2(px, begin.y), ImVec2(px, end.y), color_of(0x6a737eff));
    ImGui::BeginTooltip();
    ImGui::Text("%.6g %s", (double)x[near], x_unit);
    for (int c = 0; c < curve_count; c++)
        ImGui::TextColored(vec_of(curve_colors[c % 8]), "%s  %.6g %s", curves[c].name, (double)curves[c].values[near],
                           unit ? unit : "");
    ImGui::EndTooltip();
}

void ui_bar(double share, uint32_t color, const char *text)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = fmaxf(ImGui::GetContentRegionAvail().x, 10), height = ImGui::GetTextLineHeight();
    ImGui::Dummy(ImVec2(width, height));
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, ImVec2(at.x + width, at.y + height), color_of(0x171a1eff), 3);
    list->AddRectFilled(at, ImVec2(at.x + width * (float)fmin(fmax(share, 0), 1), at.y + height), color_of(color), 3);
    list->AddText(ImVec2(at.x + 6, at.y), color_of(UI_TEXT), text);
}

/* The picture */

UiBox ui_image(uint32_t texture, float width, float height)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (texture)
        ImGui::GetWindowDrawList()->AddImage((ImTextureID)(intptr_t)texture, at, ImVec2(at.x + width, at.y + height),
                                             ImVec2(0, 1), ImVec2(1, 0));
    ImGui::InvisibleButton("picture", ImVec2(fmaxf(width, 1), fmaxf(height, 1)),
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                               ImGuiButtonFlags_MouseButtonMiddle);
    return {at.x, at.y, width, height};
}

bool ui_card(const char *id, uint32_t texture, float width, float height, const char *name)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight();
    const bool pressed = ImGui::InvisibleButton(id, ImVec2(width, height + line + 12));
    ImDrawList *list = ImGui::GetWindowDrawList();
    const ImVec2 end(at.x + width, at.y + height);
    if (texture)
        list->AddImageRounded((ImTextureID)(intptr_t)texture, at, end, ImVec2(0, 0), ImVec2(1, 1), IM_COL32_WHITE, 5);
    else
        list->AddRectFilled(at, end, color_of(0x171a1eff), 5);
    if (ImGui::IsItemHovered())
        list->AddRect(at, end, color_of(UI_ACCENT), 5, 0, 2);
    list->AddText(ImVec2(at.x + 2, end.y + 3), color_of(ImGui::IsItemHovered() ? UI_TEXT : UI_DIM), name);
    return pressed;
}

bool ui_hovered(void)
{
    return ImGui::IsItemHovered();
}

void ui_mouse(float *x, float *y)
{
    *x = ImGui::GetIO().MousePos.x;
    *y = ImGui::GetIO().MousePos.y;
}

bool ui_mouse_down(int button)
{
    return ImGui::IsMouseDown(button);
}

bool ui_mouse_pressed(int button)
{
    return ImGui::IsMouseClicked(button);
}

float ui_wheel(void)
{
    return ImGui::GetIO().MouseWheel;
}

bool ui_shift(void)
{
    return ImGui::GetIO().KeyShift;
}

void ui_draw_line(float x0, float y0, float x1, float y1, uint32_t color, float width)
{
    ImGui::GetWindowDrawList()->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), color_of(color), width);
}

void ui_draw_arrow(float x0, float y0, float x1, float y1, uint32_t color, float width)
{
    const float dx = x1 - x0, dy = y1 - y0, length = sqrtf(dx * dx + dy * dy), head = fminf(6 + 2 * width, length);
    if (length < 1)
        return;
    const float ux = dx / length, uy = dy / length;
    const ImVec2 neck(x1 - ux * head, y1 - uy * head);
    ui_draw_line(x0, y0, neck.x, neck.y, color, width);
    ImGui::GetWindowDrawList()->AddTriangleFilled(
        ImVec2(x1, y1), ImVec2(neck.x - uy * head * 0.5f, neck.y + ux * head * 0.5f),
        ImVec2(neck.x + uy * head * 0.5f, neck.y - ux * head * 0.5f), color_of(color));
}

void ui_draw_circle(float x, float y, float radius, uint32_t color, bool filled)
{
    if (filled)
        ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(x, y), radius, color_of(color));
    else
        ImGui::GetWindowDrawList()->AddCircle(ImVec2(x, y), radius, color_of(color), 0, 2);
}

void ui_draw_text(float x, float y, uint32_t color, const char *text)
{
    ImGui::GetWindowDrawList()->AddText(ImVec2(x, y), color_of(color), text);
}

void ui_draw_box(UiBox box, uint32_t color, float rounding)
{
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.x + box.width, box.y + box.height),
                                              color_of(color), rounding);
}

} /* extern "C" */
