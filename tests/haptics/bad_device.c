/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bad_device.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <divan/contracts/haptic_device.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/input.h>
#include <divan/memory.h>
#include <divan/plugin.h>

static double random_number(BadDevice *self)
{
    self->random_state = self->random_state * 1664525u + 1013904223u;
    const uint32_t bits = self->random_state >> 8;
    switch (bits % 7) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -1e300;
    default:
        return ((double)bits - 8388608.0) * 1e-8;
    }
}

static void facts(void *self, DvHapticFacts *out)
{
    (void)self;
    *out = (DvHapticFacts){.sensed = 6,
                           .driven = 6,
                           .peak_force = PEAK,
                           .peak_torque = PEAK,
                           .stiffness = 300,
                           .angular_stiffness = 1,
                           .rate = 10000,
                           .repeats = true};
}

static void placement(void *self, DvHapticPlacement *out)
{
    (void)self;
    *out = (DvHapticPlacement){.orientation_base = {0, 0, 0, 1},
                               .orientation_tool = {0, 0, 0, 1},
                               .scale = 1,
                               .unit = 1,
                               .force_scale = 1,
                               .clutch = -1};
}

static DvStatus start(void *self, DvHapticTick tick, void *context)
{
    (void)self;
    (void)tick;
    (void)context;
    return DV_OK;
}

static void stop(void *self)
{
    (void)self;
}

static DvHapticState state_of(void *self_, const char **reason)
{
    const BadDevice *self = self_;
    const bool lost = __atomic_load_n(&self->kind, __ATOMIC_ACQUIRE) == LOST;
    if (reason)
        *reason = lost ? "somebody has pulled its plug" : NULL;
    return lost ? DV_HAPTIC_LOST : DV_HAPTIC_RUNNING;
}

/* ---- What a thread asks of the system ---- */

#if defined __linux__ && defined __x86_64__
static BadDevice *watched;

static void count_call(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    watched->called = info->si_syscall;
    (void)__atomic_add_fetch(&watched->calls, 1, __ATOMIC_RELEASE);
}

/* From now on, of this thread: sleeping and looking at the clock, and what its end takes, are its own business; all else is counted, and not done. */
static void watch(BadDevice *self)
{
    static const int free_calls[] = {SYS_clock_nanosleep, SYS_clock_gettime, SYS_exit,         SYS_exit_group,
                                     SYS_madvise,         SYS_munmap,        SYS_rt_sigreturn, SYS_rt_sigprocmask};
    enum { COUNT = sizeof free_calls / sizeof *free_calls };
    struct sock_filter code[COUNT + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (unsigned i = 0; i < COUNT; i++)
        code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)free_calls[i],
                                                   (unsigned char)(COUNT - i), 0);
    code[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    code[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = COUNT + 3, .filter = code};
    struct sigaction action = {.sa_sigaction = count_call, .sa_flags = SA_SIGINFO};
    sigset_t seen;
    watched = self;
    sigemptyset(&seen);
    sigaddset(&seen, SIGSYS);
    if (sigaction(SIGSYS, &action, NULL) == 0 && pthread_sigmask(SIG_UNBLOCK, &seen, NULL) == 0 &&
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        __atomic_store_n(&self->is_watched, true, __ATOMIC_RELEASE);
}
#else
static void watch(BadDevice *self)
{
    (void)self;
}
#endif

static void before_read(BadDevice *self, BadKind kind)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    if (kind == SLOW)
        (void)nanosleep(&pause, NULL);
    if (kind == WATCHED && !self->is_watched)
        watch(self);
}

/* ---- The device ---- */

static bool read_pose(void *self_, double time, DvHapticPose *pose)
{
    BadDevice *self = self_;
    const BadKind kind = __atomic_load_n(&self->kind, __ATOMIC_ACQUIRE);
    before_read(self, kind);
    *pose = (DvHapticPose){.position = {0.005, 0, 0}, .orientation = {0, 0, 0, 1}, .time = time};
    self->read_so_far++;
    if (kind == GARBAGE || (kind == NOTHING && self->read_so_far > 200)) {
        for (int c = 0; c < 3; c++)
            pose->position[c] = kind == GARBAGE ? random_number(self) : NAN;
        for (int c = 0; kind == GARBAGE && c < 4; c++)
            pose->orientation[c] = random_number(self);
        for (int c = 0; kind == GARBAGE && c < 3; c++)
            pose->velocity[c] = random_number(self);
        pose->has_velocity = kind == GARBAGE;
        pose->buttons = self->random_state;
    }
    return kind != LOST && (kind != SOMETIMES_NOTHING || self->read_so_far % 3 != 0);
}

static void keep_in_file(int file, double last)
{
    char text[32];
    const int length = snprintf(text, sizeof text, "%-24.17g\n", last);
    (void)!pwrite(file, text, (size_t)length, 0);
}

static bool write_force(void *self_, double time, const DvHapticForce *force)
{
    BadDevice *self = self_;
    (void)time;
    const double sizes[2] = {hypot(hypot(force->force[0], force->force[1]), force->force[2]),
                             hypot(hypot(force->torque[0], force->torque[1]), force->torque[2])};
    for (int i = 0; i < 2; i++)
        self->largest = isfinite(sizes[i]) ? fmax(self->largest, sizes[i]) : INFINITY;
    self->written++;
    double last = sizes[0] + sizes[1];
    __atomic_store(&self->last, &last, __ATOMIC_RELEASE);
    if (self->file >= 0)
        keep_in_file(self->file, last);
    return true;
}

static const DvHapticDeviceOps ops = {.size = sizeof ops,
                                      .facts = facts,
                                      .placement = placement,
                                      .start = start,
                                      .stop = stop,
                                      .state = state_of,
                                      .read = read_pose,
                                      .write = write_force};
static DvStatus construct(DvObject *object, void *self_)
{
    BadDevice *self = self_;
    const char *name = getenv(BAD_DEVICE_FILE);
    (void)object;
    self->file = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    return DV_OK;
}

static void destroy(DvObject *object, void *self_)
{
    BadDevice *self = self_;
    (void)object;
    if (self->file >= 0)
        close(self->file);
}

static const DvField fields[] = {DV_FIELD(BadDevice, unused, "unused", dv_type_bool, .help = "nothing"), {0}};
static const DvClass bad_device = {.size = sizeof(DvClass),
                                   .name = "BadDevice",
                                   .help = "says whatever",
                                   .instance_size = sizeof(BadDevice),
                                   .fields = fields,
                                   .construct = construct,
                                   .destroy = destroy,
                                   .contracts = (const DvContract[]){{.id = DV_HAPTIC_DEVICE, .ops = &ops}, {0}}};

/* ---- A constraint with a law that only this plugin knows: a brake along z ---- */

typedef struct Brake {
    DvData unused;
    DvStateRef state;
    DvVecId begin;
} Brake;

static DvStatus init_brake(DvObject *object, void *self_)
{
    Brake *self = self_;
    DvObject *state = dv_node_context(dv_object_node(object), DV_STATE);
    self->state = state ? dv_state_ref(state) : (DvStateRef){0};
    return state ? dv_object_require(object, state) : dv_error(object, DV_ERROR_MISSING, "no state");
}

static uint32_t states_of_brake(void *self_, DvObject **list, uint32_t capacity)
{
    const Brake *self = self_;
    if (capacity > 0)
        list[0] = self->state.object;
    return 1;
}

static void resolve(const DvConstraintBlock *block, const double *w, double *d, double *lambda)
{
    *lambda = fmax(-block->p[0], fmin(block->p[0], *lambda - *d / *w));
}

static const DvOwnLaw brake_law = {.resolve = resolve};

static DvStatus build_brake(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    ((Brake *)self_)->begin = step->position;
    double *entry = dv_entry_add(rows->of_state[0], rows->next, 0);
    for (int c = 0; c < 6; c++)
        entry[c] = c == 2;
    DvConstraintBlock *block = dv_block_add(rows, DV_LAW_OWN, 1);
    block->own = &brake_law;
    block->p[0] = step->dt; /* 1 N */
    return DV_OK;
}

static DvStatus violation_of_brake(void *self_, const DvStep *step, DvConstraintOrder order, double *d)
{
    const Brake *self = self_;
    (void)order;
    *d = dv_state_read(self->state, step->position).at[2] - dv_state_read(self->state, self->begin).at[2];
    return DV_OK;
}

static const DvLagrangianConstraintOps brake_ops = {
    .size = sizeof brake_ops, .states = states_of_brake, .build = build_brake, .violation = violation_of_brake};
static const DvField brake_fields[] = {DV_FIELD(Brake, unused, "unused", dv_type_bool, .help = "nothing"), {0}};
static const DvClass bad_brake = {.size = sizeof(DvClass),
                                  .name = "BadBrake",
                                  .help = "a law of its own",
                                  .instance_size = sizeof(Brake),
                                  .fields = brake_fields,
                                  .init = init_brake,
                                  .contracts =
                                      (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &brake_ops}, {0}}};

/* ---- What a scene is told ---- */

typedef struct Listener {
    DvData log; /* a line for each event of a device, and of a name */
    DvText text;
} Listener;

static DvStatus listen(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static void hear(DvObject *object, void *self_, DvEvent *event)
{
    Listener *self = self_;
    (void)object;
    if (event->kind == DV_EVENT_CUSTOM)
        dv_text_add(&self->text, "%s\n", event->name);
    if (event->kind == DV_EVENT_HAPTIC_DEVICE) {
        const DvHapticEvent *device = event->data;
        const double *x = device->position, *q = device->orientation;
        dv_text_add(&self->text, "%s %g %g %g %g %g %g %g buttons %u of %u%s\n", dv_object_path(device->device), x[0],
                    x[1], x[2], q[0], q[1], q[2], q[3], device->buttons, device->changed,
                    device->wanted ? " wanted" : "");
    }
    dv_data_set_string(&self->log, self->text.at ? self->text.at : "");
}

static void forget(DvObject *object, void *self)
{
    (void)object;
    dv_text_free(&((Listener *)self)->text);
}

static const DvField listener_fields[] = {DV_FIELD(Listener, log, "log", dv_type_string, .help = "what was told"), {0}};
static const DvClass bad_listener = {.size = sizeof(DvClass),
                                     .name = "BadListener",
                                     .help = "hears of devices",
                                     .instance_size = sizeof(Listener),
                                     .fields = listener_fields,
                                     .construct = listen,
                                     .handle_event = hear,
                                     .destroy = forget};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.bad-device",
    .version = "1",
    .license = "LGPL-2.1-or-later",
    .classes = (const DvClass *const[]){&bad_device, &bad_brake, &bad_listener, NULL},
};
