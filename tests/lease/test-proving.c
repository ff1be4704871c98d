/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* proving: a GPU is being proved as long as its link names a claim that a process holds. Meanwhile
 * no guest gets a vGPU there. */

#include "lease/proving.h"
#include "fake/scene.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define STATE "run/libvirt-vgpu"
#define CARD1 "0000:18:00.0"
#define CARD2 "0000:19:00.0"

#define ONE_CARD                                                                                   \
    "gpu " CARD1 " rule size numa 0\n"                                                             \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"
#define TWO_CARDS                                                                                  \
    ONE_CARD "gpu " CARD2 " rule size numa 0\n"                                                    \
             "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"

static struct scene scene;
static const struct scene_case one_card = {.scene = &scene, .machine = ONE_CARD};
static const struct scene_case two_cards = {.scene = &scene, .machine = TWO_CARDS};
static const struct scene_case quota = {
    .scene = &scene,
    .machine = TWO_CARDS,
    .configuration = "classes = { small = { types = [ \"T4-1B\" ]; }; };\n"
                     "quotas = ({ domains = [\"*\"]; class = \"small\"; max = 1; });\n"};

/* A process that proves a GPU. */
struct prover {
    struct statedir statedir;
    struct ledger ledger;
};

static struct name
card(const char *text)
{
    struct name ret;

    assert_int_equal(name_parse(&ret, text), 0);
    return ret;
}

static void
begin(struct prover *prover, const char *gpu)
{
    const struct host *host = &scene.kernel.host;
    const struct name name = card(gpu);
    struct error error = {0};

    *prover = (struct prover){.statedir = STATEDIR_CLOSED};
    assert_int_equal(statedir_open(host, true, &prover->statedir, &error), 0);
    assert_int_equal(statedir_lock(&prover->statedir, deadline_in(host, 1000), &error), 0);
    assert_int_equal(statedir_load(&prover->statedir, &prover->ledger, &error), 0);
    assert_int_equal(statedir_claim(&prover->statedir, &prover->ledger, &error), 0);
    assert_int_equal(proving_begin(host, &name, prover->statedir.claim, &error), 0);
    assert_int_equal(statedir_store(&prover->statedir, &prover->ledger, &error), 0);
    statedir_unlock(&prover->statedir);
}

/* Ends the process as a kill would: its link stays. */
static void
end(struct prover *prover)
{
    statedir_close(&prover->statedir);
    ledger_clear(&prover->ledger);
}

static size_t
count_proved(void)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error = {0};

    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), 0);
    return ledger.proved.count;
}

static bool
has_link(const char *gpu)
{
    char path[128];

    snprintf(path, sizeof(path), STATE "/proving/%s", gpu);
    return faccessat(scene.kernel.host.root, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Does the GPU have the vGPU with this number? */
static bool
has_vgpu(const char *gpu, unsigned number)
{
    char path[128];

    snprintf(path, sizeof(path), "sys/class/mdev_bus/%s/%s", gpu, scene_device(number));
    return faccessat(scene.kernel.host.root, path, F_OK, 0) == 0;
}

SCENE_TEST(a_guest_gets_another_gpu_or_those_words, two_cards)
{
    struct prover prover;

    begin(&prover, CARD1);
    assert_int_equal(count_proved(), 1);
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_true(has_vgpu(CARD2, 1));
    end(&prover);
}

SCENE_TEST(the_only_gpu_is_refused_in_words, one_card)
{
    struct prover prover;

    begin(&prover, CARD1);
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 1);
    scene_assert_said(&scene, CARD1 " is being proved or set up by vgpuctl just now");
    end(&prover);
    /* The process was killed. So its link means nothing any more. */
    assert_int_equal(count_proved(), 0);
    assert_true(has_link(CARD1));
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
}

/* Which links are removed, and which files do not count as links. */
SCENE_TEST(what_is_swept, two_cards)
{
    const int root = scene.kernel.host.root;
    struct prover first, second;

    begin(&first, CARD1);
    begin(&second, CARD2);
    end(&second);
    fake_write(&scene.kernel, STATE "/proving/file", "1");
    assert_int_equal(symlinkat("elsewhere", root, STATE "/proving/word"), 0);
    proving_sweep(&scene.kernel.host, first.statedir.claims);
    assert_false(has_link(CARD2));
    assert_true(has_link("file"));
    assert_true(has_link("word"));
    end(&first);
    assert_int_equal(count_proved(), 0);
    begin(&second, CARD2);
    proving_sweep(&scene.kernel.host, second.statedir.claims);
    assert_false(has_link(CARD1));
    end(&second);
}

/* A vGPU that is made to prove a card belongs to no domain. */
SCENE_TEST(quotas_do_not_count_nobodys, quota)
{
    struct prover prover;
    struct lease lease = {.state = LEASE_PENDING, .origin = LEASE_MADE, .domain_name = "vgpuctl"};
    struct error error = {0};

    begin(&prover, CARD1);
    lease.vgpu.interface = &vgpu_mdev;
    lease.vgpu.type = card("nvidia-222");
    lease.vgpu.parent = lease.gpu = card(CARD1);
    lease.claim = prover.statedir.claim;
    assert_int_equal(name_parse_uuid(&lease.vgpu.device, scene_device(9)), 0);
    assert_int_equal(name_parse_uuid(&lease.domain, LEASE_NOBODY), 0);
    assert_int_equal(statedir_lock(&prover.statedir, deadline_in(&scene.kernel.host, 1000), &error),
                     0);
    ledger_add(&prover.ledger, &lease);
    assert_int_equal(statedir_store(&prover.statedir, &prover.ledger, &error), 0);
    statedir_unlock(&prover.statedir);
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 1);
    scene_assert_said(&scene, "quota");
    end(&prover);
}
