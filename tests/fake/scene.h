/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * scene: a fake machine and the guests on it, with the functions that most tests use.
 *
 * Guests are numbers: guest 7 is called "guest7" and has the UUID ...-000000000007. The numbers of
 * its devices are written out. The hook is called as libvirt calls it, with the XML on its stdin.
 */

#pragma once

#include "fake/fake-kernel.h"
#include "fake/unit.h"

/* A machine with a card of NVIDIA's that takes one size at a time, and the kernel's mtty. */
#define SCENE_T4_AND_MTTY                                                                          \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"                                      \
    "type nvidia-230 \"GRID T4-2Q\" framebuffer 2048 max 2\n"                                      \
    "gpu mtty rule pool 4\n"                                                                       \
    "type mtty-1 \"Single port serial\" uses 1 nameless\n"                                         \
    "type mtty-2 \"Dual port serial\" uses 2\n"

struct scene {
    struct fake_kernel kernel; /* first: the teardown finds the rest by it */
    char said[4096];           /* the last hook's stderr */
    char *printed;             /* the last hook's stdout; "" for nothing */
    const char *extra; /* the hook's last argument, such as the reason of a release; NULL: "-" */
    unsigned yields; /* how often the hook's reader asks again before it sleeps; 0: its system calls
                        are as many each time */
};

/* The UUID of a device, by its number. Static memory, four at a time. */
const char *scene_device(unsigned number);

/* A guest's XML: the content of its metadata, then a hostdev for each device number. 0 ends the
 * list. Each hostdev has the alias "ua-gpuN". The caller frees the XML. */
char *scene_xml(unsigned guest, const char *devices, const unsigned *numbers);

/* The address of a GPU's n-th virtual function, from 0 on, as the fake kernel gives it. Static
 * memory, four at a time. */
const char *scene_function(const char *gpu, unsigned number);

/* A guest's XML by sources: UUIDs of mediated devices, addresses of PCI devices. NULL ends the
 * list. The first hostdev has the alias "ua-gpu1". */
char *scene_xml_of(unsigned guest, const char *devices, const char *const *sources);

/* The same, with this number in the first hostdev's alias. */
char *
scene_xml_from(unsigned guest, const char *devices, unsigned alias, const char *const *sources);

/* The XML of a guest with one source, and one <vgpu:device> with these attributes, such as
 * type="T4-1B". */
char *scene_xml_at(unsigned guest, const char *source, const char *attributes);

/* Writes libvirt's status file of a guest that runs, with this XML and this process. */
void scene_put_status(const struct scene *scene, unsigned guest, pid_t pid, const char *xml);

/* Waits for a child, which has to exit with 0. */
void scene_assert_ends_well(pid_t pid);

/* Reconciles, as the timer does. A failure fails the test. */
void scene_reconcile(struct scene *scene);

/* Calls the hook. Returns its exit status; its messages are in scene->said. */
int scene_hook(struct scene *scene, const char *xml, const char *operation, const char *sub);

/* Calls the hook with the usual XML: one <vgpu:device> of this type for device `number`. */
int scene_prepare(struct scene *scene, unsigned guest, unsigned number, const char *type);
int scene_release(struct scene *scene, unsigned guest, unsigned number);

/* Calls the hook with one device of this source. */
int scene_prepare_at(struct scene *scene, unsigned guest, const char *source, const char *type);
int scene_release_at(struct scene *scene, unsigned guest, const char *source);

/* Starts such a guest. The second function expects a refusal with these words. The number of leases
 * must stay the same. */
void scene_must_start_at(struct scene *scene, unsigned guest, const char *source, const char *type);
void scene_must_refuse_at(struct scene *scene, unsigned guest, const char *source, const char *type,
                          const char *words);

/* A guest's XML whose first hostdev says managed='yes'. The caller frees it. */
char *scene_managed(const char *xml);

/* The number of leases in this state ("" for any). */
size_t scene_leases(struct scene *scene, const char *state);

/* The number of a device's lease; 0: it has no lease. */
uint64_t scene_number(const struct scene *scene, const char *device);

/* The first function checks that the last hook printed one line, with these words. The second
 * checks the type of a device ("": the device does not exist). */
void scene_assert_said(const struct scene *scene, const char *words);
void scene_assert_type(const struct scene *scene, const char *device, const char *type);

/* From now on nobody may list this directory (EACCES). */
void scene_forbid_list(struct scene *scene, const char *path);

/* Checks that a scan of all GPUs works, and that it fails while this path cannot be read (EACCES).
 */
void scene_assert_looks_at(struct scene *scene, const char *path);

/* Checks that no device and no lease is left. */
void scene_assert_empty(struct scene *scene);

void scene_start(struct scene *scene, const char *machine);
void scene_stop(struct scene *scene);

/* The same with a machine of tests/machines. */
void scene_start_machine(struct scene *scene, const char *name);

/* The names of all machines there, in strcmp's order. The caller clears them. */
void scene_list_machines(struct words *ret);

/* The content of a file, which has to be there. The caller frees it. */
char *scene_read(const char *path);

/* Writes vgpu.conf. */
void scene_configure(const struct scene *scene, const char *text);

/* Writes a vgpu.conf that declares the setup of a GPU: the settings of the group "setup". */
void scene_declare(const struct scene *scene, const char *gpu, const char *setup);

/* The absolute path of the project's sources, in static memory. From then on $srcdir is this path.
 * So a test may change its directory after this call, or after scene_start. */
const char *scene_sources(void);

/* The set-up of a program whose URIs and command lines name files of the project. */
int scene_go_to_sources(void **state);

/* The set-up and the teardown of a test that needs only a scene:
 *
 *     static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
 *     #define TEST(function) SCENE_TEST(function, here)
 *
 *     TEST(what_is_shown)
 *     ... */
struct scene_case {
    struct scene *scene;
    const char *machine;       /* NULL: the test starts the scene itself */
    const char *configuration; /* the content of vgpu.conf; NULL: there is no such file */
    bool inside;               /* the machine's root is the working directory */
    void (*begin)(void);       /* sets up what else the test has; NULL: nothing */
    void (*end)(void);         /* the opposite */
};
int scene_set_up(void **state);
int scene_tear_down(void **state);
#define SCENE_TEST(function, scene_case)                                                           \
    UNIT_TEST_IN(function, scene_set_up, scene_tear_down, (void *)&(scene_case))
