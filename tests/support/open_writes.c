/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "open_writes.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include <divan/object.h>

enum { MOST = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const DvData *data;
    const char *class_name, *field;
} open_now[MOST];
static size_t count, begun;

static size_t place_of(const DvData *data)
{
    size_t i = 0;
    while (i < count && open_now[i].data != data)
        i++;
    return i;
}

static void begin(DvData *data)
{
    pthread_mutex_lock(&lock);
    begun++;
    if (place_of(data) == count && count < MOST) {
        open_now[count].data = data;
        open_now[count].class_name = dv_object_class(data->owner)->name;
        open_now[count++].field = data->field->name;
    }
    pthread_mutex_unlock(&lock);
}

/* Those of the kernel. */
static void *(*kernel_begin)(DvData *, size_t), *(*kernel_begin_all)(DvData *, size_t);
static void (*kernel_end)(DvData *);

static void find(void *function, const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

__attribute__((constructor)) static void find_all(void)
{
    find(&kernel_begin, "dv_data_begin");
    find(&kernel_begin_all, "dv_data_begin_all");
    find(&kernel_end, "dv_data_end");
}

void *dv_data_begin(DvData *data, size_t elements)
{
    begin(data);
    return kernel_begin(data, elements);
}

void *dv_data_begin_all(DvData *data, size_t elements)
{
    begin(data);
    return kernel_begin_all(data, elements);
}

void dv_data_end(DvData *data)
{
    pthread_mutex_lock(&lock);
    const size_t place = place_of(data);
    if (place < count)
        open_now[place] = open_now[--count];
    pthread_mutex_unlock(&lock);
    kernel_end(data);
}

size_t open_writes_take(DvText *names)
{
    const size_t taken = count;
    for (size_t i = 0; i < count; i++)
        dv_text_add(names, "%s.%s ", open_now[i].class_name, open_now[i].field);
    count = 0;
    return taken;
}

size_t open_writes_begun(void)
{
    return begun;
}
