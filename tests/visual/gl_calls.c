/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libepoxy calls each function of OpenGL by a pointer that programs can see: ours take the place of those that the renderer uses.
 */
#include "gl_calls.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static DvText said;

/* Places of uniforms: ours count up, the driver's are behind them. */
enum { PLACES = 8192 };
static struct Place {
    GLuint program;
    GLint real;
    char name[40];
} places[PLACES];
static GLint place_count = 1;

static GLint real(GLint place)
{
    return place >= 0 && place < place_count ? places[place].real : -1;
}

static const char *name_of(GLint place)
{
    return place >= 0 && place < place_count ? places[place].name : "-";
}

static unsigned hash(const void *data, size_t size)
{
    unsigned sum = 2166136261u;
    for (size_t i = 0; data && i < size; i++)
        sum = (sum ^ ((const uint8_t *)data)[i]) * 16777619u;
    return sum;
}

/* Texts of a line live until the next one. */
static const char *floats(const GLfloat *at, GLsizei count)
{
    static char text[2048];
    size_t length = 0;
    text[0] = '\0';
    for (GLsizei i = 0; i < count && length + 20 < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " %.4g", fabsf(at[i]) < 1e-6f ? 0.0 : at[i]);
    return text;
}

static const char *ints(const GLint *at, GLsizei count)
{
    static char text[1024];
    size_t length = 0;
    text[0] = '\0';
    for (GLsizei i = 0; i < count && length + 20 < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " %d", at[i]);
    return text;
}

static size_t bytes_of(GLsizei width, GLsizei height, GLsizei depth, GLenum format, GLenum type)
{
    const size_t channels = format == GL_RGBA ? 4 : format == GL_RGB ? 3 : format == GL_RG ? 2 : 1;
    return (size_t)width * (size_t)height * (size_t)depth * channels * (type == GL_UNSIGNED_BYTE ? 1 : 4);
}

/* Letters differ with the font and its library. */
static unsigned pixels(const void *data, size_t size, GLenum format)
{
    return format == GL_RED ? 0 : hash(data, size);
}

/* X(name, parameters, what is passed on, format, what is printed) */
#define UNIFORM(X, suffix, parameters, passed, format, ...) \
    X(Uniform##suffix, parameters, passed, "%s" format, name_of(l), __VA_ARGS__)
#define VECTOR(X, suffix, Type, rows, print)                                                            \
    X(Uniform##suffix, (GLint l, GLsizei n, const Type *v), (real(l), n, v), "%s %d:%s", name_of(l), n, \
      print(v, (rows)*n))
#define MATRIX(X, suffix, numbers)                                                                                   \
    X(UniformMatrix##suffix, (GLint l, GLsizei n, GLboolean t, const GLfloat *v), (real(l), n, t, v), "%s %d %d:%s", \
      name_of(l), n, t, floats(v, (numbers)*n))

#define CALLS(X)                                                                                                       \
    UNIFORM(X, 1i, (GLint l, GLint a), (real(l), a), " %d", a)                                                         \
    UNIFORM(X, 1f, (GLint l, GLfloat a), (real(l), a), " %.4g", a)                                                     \
    UNIFORM(X, 2f, (GLint l, GLfloat a, GLfloat b), (real(l), a, b), " %.4g %.4g", a, b)                               \
    UNIFORM(X, 4f, (GLint l, GLfloat a, GLfloat b, GLfloat c, GLfloat d), (real(l), a, b, c, d),                       \
            " %.4g %.4g %.4g %.4g", a, b, c, d)                                                                        \
    VECTOR(X, 1fv, GLfloat, 1, floats)                                                                                 \
    VECTOR(X, 2fv, GLfloat, 2, floats)                                                                                 \
    VECTOR(X, 3fv, GLfloat, 3, floats)                                                                                 \
    VECTOR(X, 4fv, GLfloat, 4, floats)                                                                                 \
    VECTOR(X, 1iv, GLint, 1, ints)                                                                                     \
    VECTOR(X, 2iv, GLint, 2, ints)                                                                                     \
    VECTOR(X, 3iv, GLint, 3, ints)                                                                                     \
    VECTOR(X, 4iv, GLint, 4, ints)                                                                                     \
    MATRIX(X, 2fv, 4)                                                                                                  \
    MATRIX(X, 3fv, 9)                                                                                                  \
    MATRIX(X, 4fv, 16)                                                                                                 \
    MATRIX(X, 2x3fv, 6)                                                                                                \
    MATRIX(X, 3x2fv, 6)                                                                                                \
    MATRIX(X, 2x4fv, 8)                                                                                                \
    MATRIX(X, 4x2fv, 8)                                                                                                \
    MATRIX(X, 3x4fv, 12)                                                                                               \
    MATRIX(X, 4x3fv, 12)                                                                                               \
    X(ActiveTexture, (GLenum a), (a), "%#x", a)                                                                        \
    X(AttachShader, (GLuint a, GLuint b), (a, b), "%u %u", a, b)                                                       \
    X(BindAttribLocation, (GLuint a, GLuint b, const GLchar *c), (a, b, c), "%u %u %s", a, b, c)                       \
    X(BindBuffer, (GLenum a, GLuint b), (a, b), "%#x %u", a, b)                                                        \
    X(BindFragDataLocation, (GLuint a, GLuint b, const GLchar *c), (a, b, c), "%u %u %s", a, b, c)                     \
    X(BindFramebuffer, (GLenum a, GLuint b), (a, b), "%#x %u", a, b)                                                   \
    X(BindRenderbuffer, (GLenum a, GLuint b), (a, b), "%#x %u", a, b)                                                  \
    X(BindTexture, (GLenum a, GLuint b), (a, b), "%#x %u", a, b)                                                       \
    X(BindVertexArray, (GLuint a), (a), "%u", a)                                                                       \
    X(BlendEquation, (GLenum a), (a), "%#x", a)                                                                        \
    X(BlendFuncSeparate, (GLenum a, GLenum b, GLenum c, GLenum d), (a, b, c, d), "%#x %#x %#x %#x", a, b, c, d)        \
    X(BlitFramebuffer,                                                                                                 \
      (GLint a, GLint b, GLint c, GLint d, GLint e, GLint f, GLint g, GLint h, GLbitfield m, GLenum n),                \
      (a, b, c, d, e, f, g, h, m, n), "%d %d %d %d to %d %d %d %d %#x %#x", a, b, c, d, e, f, g, h, m, n)              \
    X(BufferData, (GLenum a, GLsizeiptr b, const void *c, GLenum d), (a, b, c, d), "%#x %ld %08x %#x", a, (long)b,     \
      hash(c, (size_t)b), d)                                                                                           \
    X(Clear, (GLbitfield a), (a), "%#x", a)                                                                            \
    X(ClearBufferfv, (GLenum a, GLint b, const GLfloat *c), (a, b, c), "%#x %d%s", a, b,                               \
      floats(c, a == GL_COLOR ? 4 : 1))                                                                                \
    X(ClearColor, (GLfloat a, GLfloat b, GLfloat c, GLfloat d), (a, b, c, d), "%.4g %.4g %.4g %.4g", a, b, c, d)       \
    X(ClearDepth, (GLdouble a), (a), "%g", a)                                                                          \
    X(ClipControl, (GLenum a, GLenum b), (a, b), "%#x %#x", a, b)                                                      \
    X(CullFace, (GLenum a), (a), "%#x", a)                                                                             \
    X(DeleteBuffers, (GLsizei a, const GLuint *b), (a, b), "%s", ints((const GLint *)b, a))                            \
    X(DeleteFramebuffers, (GLsizei a, const GLuint *b), (a, b), "%s", ints((const GLint *)b, a))                       \
    X(DeleteProgram, (GLuint a), (a), "%u", a)                                                                         \
    X(DeleteRenderbuffers, (GLsizei a, const GLuint *b), (a, b), "%s", ints((const GLint *)b, a))                      \
    X(DeleteTextures, (GLsizei a, const GLuint *b), (a, b), "%s", ints((const GLint *)b, a))                           \
    X(DeleteVertexArrays, (GLsizei a, const GLuint *b), (a, b), "%s", ints((const GLint *)b, a))                       \
    X(DepthFunc, (GLenum a), (a), "%#x", a)                                                                            \
    X(DepthMask, (GLboolean a), (a), "%d", a)                                                                          \
    X(DepthRange, (GLdouble a, GLdouble b), (a, b), "%g %g", a, b)                                                     \
    X(Disable, (GLenum a), (a), "%#x", a)                                                                              \
    X(DisableVertexAttribArray, (GLuint a), (a), "%u", a)                                                              \
    X(DrawArrays, (GLenum a, GLint b, GLsizei c), (a, b, c), "%#x %d %d", a, b, c)                                     \
    X(DrawBuffer, (GLenum a), (a), "%#x", a)                                                                           \
    X(DrawBuffers, (GLsizei a, const GLenum *b), (a, b), "%s", ints((const GLint *)b, a))                              \
    X(DrawElements, (GLenum a, GLsizei b, GLenum c, const void *d), (a, b, c, d), "%#x %d %#x %ld", a, b, c,           \
      (long)(intptr_t)d)                                                                                               \
    X(DrawElementsInstanced, (GLenum a, GLsizei b, GLenum c, const void *d, GLsizei e), (a, b, c, d, e),               \
      "%#x %d %#x %ld x %d", a, b, c, (long)(intptr_t)d, e)                                                            \
    X(Enable, (GLenum a), (a), "%#x", a)                                                                               \
    X(EnableVertexAttribArray, (GLuint a), (a), "%u", a)                                                               \
    X(FramebufferRenderbuffer, (GLenum a, GLenum b, GLenum c, GLuint d), (a, b, c, d), "%#x %#x %#x %u", a, b, c, d)   \
    X(FramebufferTexture2D, (GLenum a, GLenum b, GLenum c, GLuint d, GLint e), (a, b, c, d, e), "%#x %#x %#x %u %d",   \
      a, b, c, d, e)                                                                                                   \
    X(FramebufferTextureLayer, (GLenum a, GLenum b, GLuint c, GLint d, GLint e), (a, b, c, d, e), "%#x %#x %u %d %d",  \
      a, b, c, d, e)                                                                                                   \
    X(GenerateMipmap, (GLenum a), (a), "%#x", a)                                                                       \
    X(LineWidth, (GLfloat a), (a), "%g", a)                                                                            \
    X(LinkProgram, (GLuint a), (a), "%u", a)                                                                           \
    X(PatchParameterfv, (GLenum a, const GLfloat *b), (a, b), "%#x%s", a,                                              \
      floats(b, a == GL_PATCH_DEFAULT_INNER_LEVEL ? 2 : 4))                                                            \
    X(PatchParameteri, (GLenum a, GLint b), (a, b), "%#x %d", a, b)                                                    \
    X(PixelStorei, (GLenum a, GLint b), (a, b), "%#x %d", a, b)                                                        \
    X(PointSize, (GLfloat a), (a), "%g", a)                                                                            \
    X(PolygonMode, (GLenum a, GLenum b), (a, b), "%#x %#x", a, b)                                                      \
    X(PolygonOffset, (GLfloat a, GLfloat b), (a, b), "%g %g", a, b)                                                    \
    X(ReadBuffer, (GLenum a), (a), "%#x", a)                                                                           \
    X(ReadPixels, (GLint a, GLint b, GLsizei c, GLsizei d, GLenum e, GLenum f, void *g), (a, b, c, d, e, f, g),        \
      "%d %d %d %d %#x %#x", a, b, c, d, e, f)                                                                         \
    X(RenderbufferStorageMultisample, (GLenum a, GLsizei b, GLenum c, GLsizei d, GLsizei e), (a, b, c, d, e),          \
      "%#x %d %#x %d %d", a, b, c, d, e)                                                                               \
    X(TexImage2D, (GLenum a, GLint b, GLint c, GLsizei d, GLsizei e, GLint f, GLenum g, GLenum h, const void *i),      \
      (a, b, c, d, e, f, g, h, i), "%#x %d %#x %d %d %d %#x %#x %08x", a, b, (unsigned)c, d, e, f, g, h,               \
      pixels(i, bytes_of(d, e, 1, g, h), g))                                                                           \
    X(TexImage3D,                                                                                                      \
      (GLenum a, GLint b, GLint c, GLsizei d, GLsizei e, GLsizei k, GLint f, GLenum g, GLenum h, const void *i),       \
      (a, b, c, d, e, k, f, g, h, i), "%#x %d %#x %d %d %d %d %#x %#x %d", a, b, (unsigned)c, d, e, k, f, g, h,        \
      i != NULL)                                                                                                       \
    X(TexParameteri, (GLenum a, GLenum b, GLint c), (a, b, c), "%#x %#x %#x", a, b, (unsigned)c)                       \
    X(TexSubImage2D, (GLenum a, GLint b, GLint c, GLint d, GLsizei e, GLsizei f, GLenum g, GLenum h, const void *i),   \
      (a, b, c, d, e, f, g, h, i), "%#x %d %d %d %d %d %#x %#x", a, b, c, d, e, f, g, h)                               \
    X(UseProgram, (GLuint a), (a), "%u", a)                                                                            \
    X(VertexAttrib4f, (GLuint a, GLfloat b, GLfloat c, GLfloat d, GLfloat e), (a, b, c, d, e), "%u %g %g %g %g", a, b, \
      c, d, e)                                                                                                         \
    X(VertexAttribDivisor, (GLuint a, GLuint b), (a, b), "%u %u", a, b)                                                \
    X(VertexAttribPointer, (GLuint a, GLint b, GLenum c, GLboolean d, GLsizei e, const void *f), (a, b, c, d, e, f),   \
      "%u %d %#x %d %d %ld", a, b, c, d, e, (long)(intptr_t)f)                                                         \
    X(Viewport, (GLint a, GLint b, GLsizei c, GLsizei d), (a, b, c, d), "%d %d %d %d", a, b, c, d)

#define DEFINE(name, parameters, passed, format, ...)           \
    static __typeof__(epoxy_gl##name) real_##name;              \
    static void told_##name parameters                          \
    {                                                           \
        dv_text_add(&said, #name " " format "\n", __VA_ARGS__); \
        real_##name passed;                                     \
    }
CALLS(DEFINE)

/* Those that answer, or are told otherwise. */

static GLint (*real_place)(GLuint program, const GLchar *name);
static GLint told_place(GLuint program, const GLchar *name)
{
    for (GLint i = 1; i < place_count; i++)
        if (places[i].program == program && strcmp(places[i].name, name) == 0)
            return i;
    if (place_count == PLACES)
        abort();
    places[place_count] = (struct Place){.program = program, .real = real_place(program, name)};
    snprintf(places[place_count].name, sizeof places[place_count].name, "%s", name);
    return place_count++;
}

/* What a program can do is said by definitions in front of it. */
static void (*real_source)(GLuint shader, GLsizei count, const GLchar *const *text, const GLint *length);
static void told_source(GLuint shader, GLsizei count, const GLchar *const *text, const GLint *length)
{
    dv_text_add(&said, "ShaderSource %u:", shader);
    for (GLsizei i = 0; i < count; i++) {
        for (const char *at = text[i]; (at = strstr(at, "#define ")); at += strlen("#define "))
            dv_text_add(&said, " %.*s;", (int)strcspn(at + strlen("#define "), "\n"), at + strlen("#define "));
        dv_text_add(&said, " %08x", hash(text[i], length && length[i] >= 0 ? (size_t)length[i] : strlen(text[i])));
    }
    dv_text_add(&said, "\n");
    real_source(shader, count, text, length);
}

#define RESOLVE(name, ...)                                                \
    real_##name = (__typeof__(real_##name))eglGetProcAddress("gl" #name); \
    if (!real_##name)                                                     \
        abort();                                                          \
    epoxy_gl##name = told_##name;

void gl_calls_begin(void)
{
    place_count = 1; /* other contexts have programs of the same names */
    CALLS(RESOLVE)
    real_place = (__typeof__(real_place))eglGetProcAddress("glGetUniformLocation");
    epoxy_glGetUniformLocation = told_place;
    real_source = (__typeof__(real_source))eglGetProcAddress("glShaderSource");
    epoxy_glShaderSource = told_source;
}

void gl_calls_take(DvText *text)
{
    dv_text_add(text, "%s", said.at ? said.at : "");
    dv_text_free(&said);
}

unsigned gl_calls_error(void)
{
    return glGetError();
}
