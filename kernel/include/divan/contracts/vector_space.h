/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vector spaces: memory beside the host's, and what is done there. A service of plugins that have a device:
 *
 *   a state that a template asks for takes its vectors there          keeps, open, take, put, get
 *   combines them, and asks for their sums                            combine, dot, calculate
 *   a solver records an iteration and has it repeated                 guard, record, end_record, replay
 *   and looks at several solves at once                               keep_slots, keep_points
 *
 * Work is done in the order of the calls, and the host may be ahead of it: only get, get_numbers, get_points, get_slots and wait
 * wait for what has been asked for. Every sum has an order that follows from the length alone, so the same calls give the same
 * bits on every device; sums of floats are made in double.
 *
 * Slots are doubles of the space by number, on which the host need not wait: dot fills one, combine_by takes one, calculate
 * computes with them. Those from DV_SLOT_OWN on are for a solver within one call.
 *
 * Threads: all [step] unless said, one thread at a time for a space. A space belongs to one scene; two scenes on one device have two.
 */
#ifndef DIVAN_CONTRACTS_VECTOR_SPACE_H
#define DIVAN_CONTRACTS_VECTOR_SPACE_H

#include <divan/contracts/state.h>
#include <divan/scene.h>

DV_BEGIN_DECLS

#define DV_VECTOR_SPACE "divan.vector-space/1"

typedef uint64_t DvAddress; /* 0: nowhere */
static inline double *dv_address_as_vector(DvAddress at)
{
    return (double *)(uintptr_t)at;
}
static inline DvAddress dv_vector_as_address(const void *at)
{
    return (DvAddress)(uintptr_t)at;
}

enum { DV_SLOT_SUM = 0, DV_SLOT_OWN = 8, DV_SLOTS = 512, DV_NO_SLOT = DV_SLOTS };

typedef enum DvSlotAction {
    DV_SLOT_COPY,     /* r = a */
    DV_SLOT_ADD,      /* r = a + b */
    DV_SLOT_SUBTRACT, /* r = a - b */
    DV_SLOT_MULTIPLY, /* r = a b */
    DV_SLOT_DIVIDE,   /* r = a / b */
    DV_SLOT_ROOT,     /* r = sqrt a */
    DV_SLOT_SIZE,     /* r = |a| */
    DV_SLOT_KEEP,     /* slot number r = a, then r = r + 1; nothing when there is no such slot */
    DV_SLOT_AT_MOST,  /* r = 1 when a <= b, and nothing that follows in this program is done */
    DV_SLOT_NOT_ABOVE /* the same unless a > b: also when one of them is not a number */
} DvSlotAction;
typedef struct DvSlotStep {
    DvSlotAction action;
    uint32_t r, a, b;
} DvSlotStep;

/* What a space has done since it was opened; allocations are calls of take. */
typedef struct DvSpaceCounts {
    uint64_t launches, waits, bytes_put, bytes_got, allocations, bytes_held;
    uint64_t bytes_read; /* of operators, by the products that have been asked for, as twins say that count them */
} DvSpaceCounts;

typedef struct DvRecording DvRecording;

typedef struct DvVectorSpaceOps {
    uint32_t size;
    const char *name; /* as --device has it: "cuda" */
    /* Whether vectors of this word of templates ("CudaVec3f") are kept here now, and how.     [any] */
    bool (*keeps)(const char *word, DvPrecision *precision);
    /* That of a scene: the same one for each caller, until as many have closed it. NULL: there is none now, with the reason.     [main] */
    DvVectorSpace *(*open)(DvScene *scene, DvSpace number, DvText *why);
    void (*close)(DvVectorSpace *space); /* [main] */

    /* Memory, 256-byte aligned; 0: there is no more. What is under way may still use what is given back. */
    DvAddress (*take)(DvVectorSpace *space, size_t bytes);
    void (*give)(DvVectorSpace *space, DvAddress at);
    /* Copies. `from` of the host is free once the call returns. Numbers are doubles on the host, and of a precision there. */
    void (*put)(DvVectorSpace *space, DvAddress to, const void *from, size_t bytes);
    void (*get)(DvVectorSpace *space, void *to, DvAddress from, size_t bytes);
    void (*put_numbers)(DvVectorSpace *space, DvAddress to, DvPrecision precision, const double *from, size_t n);
    void (*get_numbers)(DvVectorSpace *space, double *to, DvAddress from, DvPrecision precision, size_t n);
    /* Of listed points alone, in and out of a whole vector of the host.     points: [count], of the host; dim: numbers of a point */
    void (*put_points)(DvVectorSpace *space, DvAddress to, DvPrecision precision, const double *from, uint32_t dim,
                       const uint32_t *points, uint32_t count);
    void (*get_points)(DvVectorSpace *space, double *to, DvAddress from, DvPrecision precision, uint32_t dim,
                       const uint32_t *points, uint32_t count);

    /* Arithmetic on n numbers. */
    void (*fill)(DvVectorSpace *space, DvAddress r, DvPrecision precision, size_t n, double value);
    /* r = a + k b; a or b may be 0, which is left out; r may be a or b. */
    void (*combine)(DvVectorSpace *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n,
                    double k);
    void (*combine_by)(DvVectorSpace *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n,
                       uint32_t slot, double factor); /* r = a + (factor slot) b */
    /* r[list[i]] = 0.     list: [count] uint32_t of the space */
    void (*clear_listed)(DvVectorSpace *space, DvAddress r, DvPrecision precision, DvAddress list, uint32_t count);
    /* slot = a . b, or slot + a . b. */
    void (*dot)(DvVectorSpace *space, uint32_t slot, bool add, DvAddress a, DvAddress b, DvPrecision precision,
                size_t n);
    void (*calculate)(DvVectorSpace *space, const DvSlotStep *steps, uint32_t count);
    void (*put_slots)(DvVectorSpace *space, uint32_t first, const double *values, uint32_t count);
    void (*get_slots)(DvVectorSpace *space, uint32_t first, double *values, uint32_t count);

    /* From now on what is asked for is left undone where this slot is not zero when its turn comes; DV_NO_SLOT: it is done. */
    void (*guard)(DvVectorSpace *space, uint32_t slot);
    /* What is asked for between both is not done but kept, to be repeated as it is: the same places, the same numbers, guard included. The
     * recording is the space's, until the next `record`. false: something in between has to wait for the host, or give memory back, so
     * that it cannot be repeated; then nothing of it has been done. */
    void (*record)(DvVectorSpace *space);
    bool (*end_record)(DvVectorSpace *space);
    void (*replay)(DvVectorSpace *space, uint32_t times);

    void (*wait)(DvVectorSpace *space);
    const DvSpaceCounts *(*counts)(const DvVectorSpace *space);
    /* Optional. DV_OK; else what has been said once: DV_ERROR_LIMIT: memory was refused; DV_ERROR_IO: the device is lost, nothing is
     * done there any more, and what is fetched are zeros. It stays so until the space is closed. */
    DvStatus (*fault)(const DvVectorSpace *space);
    /* Optional: r = coordinates a moved by k times the derivatives b, of points that are Rigid3: turned on the left by the rotation k b.
     * Without it such states are kept on the host. r may be a. */
    void (*integrate)(DvVectorSpace *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision,
                      uint32_t points, double k);
    /* Optional: listed points of a vector there += those of a whole vector of the host.     points: each once */
    void (*add_points)(DvVectorSpace *space, DvAddress to, DvPrecision precision, const double *from, uint32_t dim,
                       const uint32_t *points, uint32_t count);
    /* Optional, both: slots, and listed points of a vector there, one after the other, to another place there, to be fetched later.
     * list: [count] uint32_t of the space */
    void (*keep_slots)(DvVectorSpace *space, DvAddress to, uint32_t first, uint32_t count);
    void (*keep_points)(DvVectorSpace *space, DvAddress to, DvAddress from, DvPrecision precision, uint32_t dim,
                        DvAddress list, uint32_t count);
    /* Optional: for profilers, what is asked for from now on is for what has this name, within whatever was named before; NULL: what was
     * named last ends. */
    void (*range)(DvVectorSpace *space, const char *name);
    /* Optional: r = a / b, number by number; r may be a. */
    void (*divide)(DvVectorSpace *space, DvAddress r, DvAddress a, DvAddress b, DvPrecision precision, size_t n);
} DvVectorSpaceOps;

/* What has moved for components that act on states of devices, as far as they are in the scene now. */
#define DV_DEVICE_USE "divan.device-use/1"
typedef struct DvDeviceShare {
    const DvObject *object;
    uint64_t bytes_put, bytes_got, waits;
    bool acts_there; /* by a twin */
} DvDeviceShare;
typedef struct DvDeviceUseOps {
    uint32_t size;
    /* Stores at most `capacity`, returns how many there are.     [main] */
    uint32_t (*shares)(DvScene *scene, DvDeviceShare *shares, uint32_t capacity);
} DvDeviceUseOps;

/* NULL: of the host, which has none. */
static inline DvStatus dv_space_fault(const DvVectorSpace *space)
{
    return space && space->ops->size >= offsetof(DvVectorSpaceOps, integrate) && space->ops->fault
               ? space->ops->fault(space)
               : DV_OK;
}

static inline void dv_space_range(DvVectorSpace *space, const char *name)
{
    if (space && space->ops->size > offsetof(DvVectorSpaceOps, range) && space->ops->range)
        space->ops->range(space, name);
}

/* The bytes of n numbers there. */
static inline size_t dv_space_bytes(DvPrecision precision, size_t n)
{
    return n * (precision == DV_FLOAT ? sizeof(float) : sizeof(double));
}

DV_END_DECLS
#endif
