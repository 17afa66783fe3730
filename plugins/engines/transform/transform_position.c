/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TransformPosition: positions put on a plane, moved, turned, scaled, shaken, or through a matrix that is given or read from a file.
 */
#include <divan/kit/engine.h>
#include <divan/kit/path_hint.h>
#include <divan/math/mat.h>
#include <divan/math/quat.h>
#include <divan/types/matrix.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef enum Method {
    ON_PLANE,
    TRANSLATE,
    ROTATE,
    SHAKE,
    SCALE,
    SCALE_MOVE,
    SCALE_TURN_MOVE,
    AFFINE,
    FROM_FILE
} Method;
static const char *const methods[] = {
    "projectOnPlane",           "translation", "rotation", "random", "scale", "scaleTranslation",
    "scaleRotationTranslation", "affine",      "fromFile", NULL};

typedef struct TransformPosition {
    DvEngine engine;
    DvData origin, input, output, normal, translation, rotation, scale, matrix, method, seed, most, fixed, file;
    double read[16];  /* of the file */
    uint64_t version; /* of `filename` that it was read for */
    bool has_read;
} TransformPosition;

static DvVec3 vector_of(DvData *data)
{
    return dv_vec3_load(dv_data_doubles(data, NULL));
}

/* ---- Files ---- */

/* Numbers of a line; how many, at most `most`. */
static int read_numbers(const char *text, double *numbers, int most)
{
    int count = 0;
    while (count < most && dv_read_double(&text, &numbers[count]))
        count++;
    return count;
}

/* Of .trm a translation and three rows; of .xfm and .txt four rows; of .tfm the twelve numbers behind "Parameters", the last three of which
 * are the translation, backwards. */
static bool read_lines(FILE *file, const char *ending, double *m)
{
    char line[1024];
    double got[16];
    int row = 0;
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(m, identity, sizeof identity);
    while (fgets(line, sizeof line, file)) {
        const char *parameters = strstr(line, "Parameters");
        if (strcmp(ending, "tfm") == 0) {
            if (!parameters || line[0] == '#' || strstr(line, "FixedParameters"))
                continue;
            parameters += strcspn(parameters, ":");
            if (read_numbers(parameters + (*parameters == ':'), got, 12) < 12)
                return false;
            for (int i = 0; i < 3; i++) {
                memcpy(m + (size_t)(4 * i), got + (size_t)(3 * i), 3 * sizeof *m);
                m[4 * i + 3] = got[11 - i];
            }
            return true;
        }
        const bool split = strcmp(ending, "trm") == 0;
        const int wanted = split ? 3 : 4, count = read_numbers(line, got, wanted);
        if (count == 0)
            continue;
        if (count < wanted)
            return false;
        for (int i = 0; i < wanted; i++)
            if (split && row == 0)
                m[4 * i + 3] = got[i];
            else
                m[4 * (row - split) + i] = got[i];
        if (++row == 4)
            return true;
    }
    return false;
}

static DvStatus read_file(TransformPosition *self)
{
    const char *name = dv_data_string(&self->file), *path = dv_data_file(&self->file), *dot = strrchr(name, '.');
    const char *ending = dot ? dot + 1 : "";
    const char *const known[] = {"trm", "xfm", "txt", "tfm"};
    bool is_known = false;
    if (self->has_read && self->version == dv_data_version(&self->file))
        return DV_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known = is_known || strcmp(ending, known[i]) == 0;
    if (!is_known)
        return dv_field_error(&self->file, -1, "'%s' is no file of a transform: .trm, .xfm, .txt, .tfm can be read",
                              name);
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        return dv_field_error(&self->file, -1, "no file '%s'%s", name, dv_path_hint(name));
    const bool good = read_lines(file, ending, self->read);
    (void)fclose(file);
    if (!good)
        return dv_field_error(&self->file, -1, "'%s' does not hold the numbers of a .%s file", name, ending);
    self->version = dv_data_version(&self->file);
    self->has_read = true;
    return DV_OK;
}

/* ---- Points ---- */

/* The generator of POSIX's drand48: 48 bits. */
static double next_random(uint64_t *state)
{
    *state = (*state * UINT64_C(0x5DEECE66D) + 0xB) & ((UINT64_C(1) << 48) - 1);
    return (double)*state / (double)(UINT64_C(1) << 48);
}

static void through_matrix(const double *m, const double *p, double *out)
{
    double h[4];
    for (int i = 0; i < 4; i++)
        h[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
    for (int i = 0; i < 3; i++)
        out[i] = fabs(h[3]) > 1e-10 ? h[i] / h[3] : 0;
}

static void transform(TransformPosition *self, Method method, const double *in, double *out, size_t count)
{
    const DvVec3 origin = vector_of(&self->origin), normal = dv_vec3_normalize(vector_of(&self->normal)),
                 shift = vector_of(&self->translation), scale = vector_of(&self->scale);
    const DvMat3 turn = dv_quat_to_matrix(dv_quat_from_euler_degrees(vector_of(&self->rotation)));
    const double most = dv_data_double(&self->most),
                 *matrix = method == FROM_FILE ? self->read : dv_data_doubles(&self->matrix, NULL);
    uint64_t random = (uint64_t)(uint32_t)dv_data_int(&self->seed) << 16 | 0x330E;
    for (size_t i = 0; i < count; i++, in += 3, out += 3) {
        DvVec3 p = dv_vec3_load(in);
        if (method == ON_PLANE)
            p = dv_vec3_madd(p, dv_vec3_dot(dv_vec3_sub(origin, p), normal), normal);
        else if (method == SCALE)
            p = dv_vec3_add(origin, dv_vec3_mul(dv_vec3_sub(p, origin), scale));
        else if (method == SCALE_MOVE || method == SCALE_TURN_MOVE)
            p = dv_vec3_mul(p, scale);
        if (method == ROTATE || method == SCALE_TURN_MOVE)
            p = dv_mat3_mul_vec(turn, p);
        if (method == TRANSLATE || method == SCALE_MOVE || method == SCALE_TURN_MOVE)
            p = dv_vec3_add(p, shift);
        dv_vec3_store(p, out);
        if (method == AFFINE || method == FROM_FILE)
            through_matrix(matrix, in, out);
        for (int axis = 0; axis < 3 && method == SHAKE; axis++)
            out[axis] += most * (2 * next_random(&random) - 1);
    }
}

static DvStatus update(DvObject *object, void *self_)
{
    TransformPosition *self = self_;
    (void)object;
    size_t count, fixed;
    const Method method = (Method)dv_data_choice(&self->method);
    const double *in = dv_data_doubles(&self->input, &count);
    const uint32_t *kept = dv_data_uints(&self->fixed, &fixed);
    const DvStatus status = method == FROM_FILE ? read_file(self) : DV_OK;
    if (status != DV_OK)
        return status;
    for (size_t i = 0; i < fixed; i++)
        if (kept[i] >= count && dv_engine_starting(&self->engine))
            return dv_field_error(&self->fixed, (int64_t)i, "point %" PRIu32 " of %zu", kept[i], count);
    double *out = dv_data_begin_all(&self->output, count);
    transform(self, method, in, out, count);
    for (size_t i = 0; i < fixed; i++)
        if (kept[i] < count)
            memcpy(out + 3 * (size_t)kept[i], in + 3 * (size_t)kept[i], 3 * sizeof *out);
    dv_data_end(&self->output);
    return DV_OK;
}

#define IN(member, ...) DV_ENGINE_INPUT(TransformPosition, member, __VA_ARGS__)
#define HELD(name, type, zero) \
    DV_FIELD_HELD(name, type, .init = zero, .help = "kept for old scenes: who uses the positions shows them")
static const DvField fields[] = {
    IN(origin, "origin", dv_type_vec3d, "a point of the plane; what is scaled stays there", .unit = "m"),
    IN(input, "input_position", dv_type_vec3s, "positions", .unit = "m",
       .aliases = (const char *const[]){"inputPosition", NULL}),
    DV_ENGINE_OUTPUT(TransformPosition, output, "output_position", dv_type_vec3s, "where they come to", .unit = "m",
                     .aliases = (const char *const[]){"outputPosition", NULL}),
    IN(normal, "normal", dv_type_vec3d, "of the plane, of any length"),
    IN(translation, "translation", dv_type_vec3d, "how far they move, at last", .unit = "m"),
    IN(rotation, "rotation", dv_type_vec3d, "how they turn about x, then y, then z", .unit = "degree"),
    IN(scale, "scale", dv_type_vec3d, "what they are multiplied by, first", .init = "1 1 1"),
    IN(matrix, "matrix", dv_type_mat4d, "4x4, of affine", .init = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"),
    IN(method, "method", dv_type_choice, "what is done", .init = "projectOnPlane", .choices = methods),
    IN(seed, "seedValue", dv_type_int, "start of the random numbers", .init = "0"),
    IN(most, "maxRandomDisplacement", dv_type_double, "how far random moves a coordinate at most", .init = "1",
       .unit = "m"),
    IN(fixed, "fixedIndices", dv_type_uints, "points that stay"),
    IN(file, "filename", dv_type_file, "of fromFile: .trm, .xfm, .txt or .tfm"),
    HELD("drawInput", dv_type_bool, "0"),
    HELD("drawOutput", dv_type_bool, "0"),
    HELD("pointSize", dv_type_double, "1"),
    {0},
};

const DvClass dv_transform_position = {
    .size = sizeof(DvClass),
    .name = "TransformPosition",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Transform",
    .help = "Projects, moves, turns or scales positions.",
    .instance_size = sizeof(TransformPosition),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
