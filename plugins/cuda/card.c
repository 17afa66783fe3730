/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A card as a device, by the runtime of CUDA, which is linked statically and looks for the driver when it is first asked: one stream; two
 * buffers by turns for what is sent; a recording as a graph, or launched again where a graph cannot be made. After an error nothing more
 * is asked of the card: it is said once, and what is fetched are zeros; the check of the step ends the run.
 */
#include "queue.h"
#include "reasons.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#ifdef DV_CUDA_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

extern const void *const card_kernels[KERNEL_COUNT][2]; /* kernels.cu */

/* What is sent goes through memory that the card reads by itself; the event tells when all of it has been read. */
typedef struct Staging {
    char *at;
    size_t used, room;
    cudaEvent_t read;
} Staging;

typedef struct Taken {
    DvAddress at;
    size_t bytes;
} Taken;

typedef struct Card {
    Device base;
    int number;
    size_t most;
    Taken *taken;
    uint32_t takens, capacity;
    cudaStream_t stream;
    Staging staging[2];
    uint32_t turn; /* which of both is filled */
    struct {
        DvAddress to;
        const void *from;
        size_t bytes; /* 0: nothing */
    } put;            /* room that has been given, and is copied with the next call */
    Queue recording;
    cudaGraphExec_t graph; /* NULL: the recording is launched again */
    bool records, broken, failed;
} Card;

static Card *of(Device *base)
{
    return (Card *)(void *)base;
}

/* ---- Errors ---- */

/* The number of the driver, from the kernel's own file; 0: not known. */
static int driver_number(void)
{
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    int number = 0;
    if (file && fscanf(file, "%d", &number) != 1)
        number = 0;
    if (file)
        (void)fclose(file);
    return number;
}

static void explain(cudaError_t error, int number, DvText *why)
{
    CardFacts facts = {.trouble = CARD_OTHER,
                       .number = number,
                       .driver = driver_number(),
                       .needs = CUDART_VERSION,
                       .built_for = DV_CUDA_ARCHITECTURES,
                       .said = cudaGetErrorString(error)};
    (void)cudaDriverGetVersion(&facts.serves);
    switch ((int)error) {
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
        facts.trouble = facts.serves ? CARD_OLD_DRIVER : CARD_NO_DRIVER;
        break;
    case cudaErrorNoDevice:
        facts.trouble = CARD_NONE;
        break;
    case cudaErrorInvalidDevice:
        (void)cudaGetDeviceCount(&facts.count);
        facts.trouble = CARD_NO_NUMBER;
        break;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion: {
        int major = 0, minor = 0;
        (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
        (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number);
        facts.capability = 10 * major + minor;
        facts.trouble = CARD_TOO_OLD;
        break;
    }
    case cudaErrorMemoryAllocation:
        facts.trouble = CARD_NO_MEMORY;
        break;
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalAddress:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchTimeout:
    case cudaErrorDevicesUnavailable:
        facts.trouble = CARD_LOST;
        break;
    default:
        break;
    }
    card_explain(&facts, why);
    (void)cudaGetLastError(); /* it has been told */
}

/* Whether the call was good; the first that was not is said. */
static bool good(Card *card, cudaError_t error)
{
    if (error != cudaSuccess && !card->failed) {
        card->failed = true;
        DvText why = {0};
        explain(error, card->number, &why);
        device_lose(&card->base, why.at);
        dv_text_free(&why);
    }
    return error == cudaSuccess;
}

/* ---- Copies ---- */

static void send_pending(Card *card)
{
    const size_t bytes = card->put.bytes;
    card->put.bytes = 0;
    if (bytes && !card->failed)
        (void)good(
            card, cudaMemcpyAsync(SPACE_AT(card->put.to), card->put.from, bytes, cudaMemcpyHostToDevice, card->stream));
}

/* The other buffer, once the card has read what it had; with room for so much. */
static Staging *next_staging(Card *card, size_t bytes)
{
    enum { LEAST = 1 << 20 };
    (void)good(card, cudaEventRecord(card->staging[card->turn].read, card->stream));
    card->turn = 1 - card->turn;
    Staging *staging = &card->staging[card->turn];
    (void)good(card, cudaEventSynchronize(staging->read));
    staging->used = 0;
    if (staging->room < bytes) {
        (void)cudaFreeHost(staging->at);
        staging->at = NULL;
        staging->room = bytes < LEAST ? LEAST : bytes;
        if (!good(card, cudaMallocHost((void **)&staging->at, staging->room)))
            staging->at = NULL;
    }
    return staging;
}

static void *put(Device *base, DvAddress to, size_t bytes)
{
    enum { ALIGNED = 256 };
    Card *card = of(base);
    if (card->records || card->failed) { /* of a card that failed nobody reads it */
        if (card->failed)
            card->recording.used = 0;
        return queue_add(&card->recording, &(Command){.kind = COMMAND_PUT, .to = to, .size = bytes});
    }
    send_pending(card);
    Staging *staging = &card->staging[card->turn];
    if (staging->used + bytes > staging->room)
        staging = next_staging(card, bytes);
    if (card->failed)
        return put(base, to, bytes);
    void *from = staging->at + staging->used;
    staging->used += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (staging->used > staging->room)
        staging->used = staging->room;
    card->put.to = to;
    card->put.from = from;
    card->put.bytes = bytes;
    base->counts.bytes_put += bytes;
    return from;
}

static void wait_for(Device *base)
{
    Card *card = of(base);
    card->broken = card->records;
    if (card->records)
        return;
    base->counts.waits++;
    send_pending(card);
    if (!card->failed)
        (void)good(card, cudaStreamSynchronize(card->stream));
}

static void get(Device *base, void *to, DvAddress from, size_t bytes)
{
    Card *card = of(base);
    send_pending(card);
    if (!card->records && !card->failed)
        (void)good(card, cudaMemcpyAsync(to, SPACE_AT(from), bytes, cudaMemcpyDeviceToHost, card->stream));
    wait_for(base);
    if (card->records || card->failed)
        memset(to, 0, bytes);
    else
        base->counts.bytes_got += bytes;
}

/* ---- Memory ---- */

static DvAddress take(Device *base, size_t bytes)
{
    Card *card = of(base);
    void *at = NULL;
    if (card->failed || (card->most && base->counts.bytes_held + bytes > card->most))
        return 0;
    if (cudaMalloc(&at, bytes) != cudaSuccess) {
        (void)cudaGetLastError(); /* whoever asked says it */
        return 0;
    }
    send_pending(card);
    if (!good(card, cudaMemsetAsync(at, 0, bytes, card->stream)))
        return 0;
    if (card->takens == card->capacity) {
        const uint32_t more = card->capacity ? 2 * card->capacity : 32;
        card->taken = dv_realloc(card->taken, card->capacity * sizeof(Taken), more * sizeof(Taken));
        card->capacity = more;
    }
    card->taken[card->takens++] = (Taken){dv_vector_as_address(at), bytes};
    base->counts.allocations++;
    base->counts.bytes_held += bytes;
    return dv_vector_as_address(at);
}

static void give(Device *base, DvAddress at)
{
    Card *card = of(base);
    card->broken = true;
    send_pending(card);
    uint32_t i = 0;
    while (i < card->takens && card->taken[i].at != at)
        i++;
    if (i == card->takens)
        return;
    base->counts.bytes_held -= card->taken[i].bytes;
    card->taken[i] = card->taken[--card->takens];
    if (card->failed)
        return; /* it goes with the process */
    (void)good(card, cudaStreamSynchronize(card->stream));
    (void)good(card, cudaFree(SPACE_AT(at)));
}

/* ---- Kernels ---- */

static bool start(Card *card, KernelNumber kernel, DvPrecision precision, uint64_t blocks, const void *args)
{
    /* The runtime copies the arguments, and takes their size from the kernel. */
    void *list[1];
    memcpy(list, &args, sizeof args);
    return good(card, cudaLaunchKernel(card_kernels[kernel][precision == DV_FLOAT], (dim3){(unsigned)blocks, 1, 1},
                                       (dim3){LANES, 1, 1}, list, 0, card->stream));
}

static void launch(Device *base, KernelNumber kernel, DvPrecision precision, uint64_t blocks, const void *args,
                   size_t size)
{
    Card *card = of(base);
    if (blocks == 0 || card->failed)
        return;
    if (card->records) {
        const Command command = {
            .kind = COMMAND_LAUNCH, .kernel = kernel, .precision = precision, .blocks = blocks, .size = size};
        memcpy(queue_add(&card->recording, &command), args, size);
        return;
    }
    send_pending(card);
    base->counts.launches += start(card, kernel, precision, blocks, args);
}

/* ---- Recordings ---- */

static void forget_graph(Card *card)
{
    if (card->graph)
        (void)cudaGraphExecDestroy(card->graph);
    card->graph = NULL;
}

static void record(Device *base)
{
    Card *card = of(base);
    send_pending(card);
    if (!card->failed) /* repetitions of the last recording may still be under way, and read what it sends */
        (void)good(card, cudaStreamSynchronize(card->stream));
    forget_graph(card);
    card->recording.used = 0;
    card->records = true;
    card->broken = false;
}

/* Asks for all of the recording once. */
static void do_recording(Card *card)
{
    size_t at = 0;
    for (const Command *command; !card->failed && (command = queue_next(&card->recording, &at));)
        if (command->kind == COMMAND_LAUNCH)
            (void)start(card, command->kernel, command->precision, command->blocks, command + 1);
        else
            (void)good(card, cudaMemcpyAsync(SPACE_AT(command->to), command + 1, command->size, cudaMemcpyHostToDevice,
                                             card->stream));
}

static void make_graph(Card *card)
{
    cudaGraph_t graph = NULL;
    if (cudaStreamBeginCapture(card->stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
        do_recording(card);
        if (cudaStreamEndCapture(card->stream, &graph) == cudaSuccess && graph &&
            cudaGraphInstantiateWithFlags(&card->graph, graph, 0) != cudaSuccess)
            card->graph = NULL;
    }
    if (graph)
        (void)cudaGraphDestroy(graph);
    (void)cudaGetLastError(); /* without a graph it is launched again */
}

static bool end_record(Device *base)
{
    Card *card = of(base);
    card->records = false;
    if (card->broken)
        card->recording.used = 0;
    else if (!card->failed)
        make_graph(card);
    return !card->broken;
}

static void replay(Device *base, uint32_t times)
{
    Card *card = of(base);
    send_pending(card);
    for (uint32_t i = 0; i < times && !card->failed; i++)
        if (card->graph)
            (void)good(card, cudaGraphLaunch(card->graph, card->stream));
        else
            do_recording(card);
    base->counts.launches += times;
}

/* ---- Names for profilers ---- */

/* Nothing where no profiler has loaded itself. */
static void range(const char *name)
{
#ifdef DV_CUDA_HAS_NVTX
    if (name)
        (void)nvtxRangePushA(name);
    else
        (void)nvtxRangePop();
#else
    (void)name;
#endif
}

/* ---- Beginning and end ---- */

static void close_card(Device *base)
{
    Card *card = of(base);
    if (card->stream && !card->failed)
        (void)cudaStreamSynchronize(card->stream);
    forget_graph(card);
    while (card->takens && !card->failed)
        (void)cudaFree(SPACE_AT(card->taken[--card->takens].at));
    for (int i = 0; i < 2; i++) {
        if (card->staging[i].at)
            (void)cudaFreeHost(card->staging[i].at);
        if (card->staging[i].read)
            (void)cudaEventDestroy(card->staging[i].read);
    }
    if (card->stream)
        (void)cudaStreamDestroy(card->stream);
    (void)cudaGetLastError();
    dv_free(card->taken);
    dv_free(card->recording.at);
    dv_free(card);
}

static const DeviceOps ops = {
    .close = close_card,
    .take = take,
    .give = give,
    .launch = launch,
    .put = put,
    .get = get,
    .wait = wait_for,
    .record = record,
    .end_record = end_record,
    .replay = replay,
    .range = range,
};

static cudaError_t begin(Card *card)
{
    int count = 0;
    struct cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess && (card->number < 0 || card->number >= count))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        error = cudaSetDevice(card->number);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, card_kernels[KERNEL_combine][0]);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&card->stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2 && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&card->staging[i].read, cudaEventDisableTiming);
    return error;
}

Device *cuda_open(int number, size_t most, DvText *why)
{
    Card *card = dv_alloc(1, sizeof *card);
    card->base.ops = &ops;
    card->number = number;
    card->most = most;
    const cudaError_t error = begin(card);
    if (error == cudaSuccess)
        return &card->base;
    explain(error, number, why);
    close_card(&card->base);
    return NULL;
}
