/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl setup --print: vgpuctl takes what it prints, and has then nothing to do. */

#include "cli/command.h"
#include "fake/chance.h"
#include "setup/cards.h"

#include <stdio.h>
#include <string.h>

#define FILE_OF(card) "etc/libvirt-vgpu/conf.d/50-setup-" card ".conf"

static const struct typed_case here = {
    {.scene = &scene, .machine = NVIDIAS INTELS, .begin = install_both}, &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
random_instance(uint64_t *seed, const char *profile)
{
    struct nvidia_tools_instance *instance = &nvidia_tools->instances[nvidia_tools->instance_count];

    nvidia_tools_add_instance(profile);
    if (!instance->is_shared)
        return;
    instance->is_mixed = maybe(seed, 40);
    instance->scheduler = 1 + chance(seed, instance->is_mixed ? 2 : 3);
}

/* As people, other programs and other drivers may leave cards. */
static void
random_cards(uint64_t *seed)
{
    static const char *const profiles[] = {"1g.24gb+gfx", "1g.24gb", "2g.48gb+gfx", "4g.96gb+gfx"};
    static const char *const schedulers[] = {"", "RmPVMRL=0x01", "RmPVMRL=0x11", "RmPVMRL=0x77"};
    unsigned loaded = chance(seed, COUNT(schedulers));
    char params[128];

    nvidia_tools->age = chance(seed, NVIDIA_PRESENT + 1);
    nvidia_tools->can_slice = nvidia_tools->age == NVIDIA_PRESENT && maybe(seed, 80);
    nvidia_tools->loaded = loaded < 3 ? loaded + 1 : 1;
    nvidia_tools->odd_word = maybe(seed, 5) ? "Unheard" : NULL;
    nvidia_tools_boot(&scene.kernel);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    nvidia_tools->has_mig = maybe(seed, 80);
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, maybe(seed, 60) ? 4 : chance(seed, 5)), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, chance(seed, 4)), 0);
    nvidia_tools->is_mixed = maybe(seed, 50);
    nvidia_tools->is_mig = nvidia_tools->is_mig_to_be = nvidia_tools->has_mig && maybe(seed, 50);
    nvidia_tools->tells_sizes_in_mig = maybe(seed, 20);
    nvidia_tools->is_sliced = nvidia_tools->can_slice && maybe(seed, 70);
    nvidia_tools->scheduler = nvidia_tools->age < NVIDIA_SETS || maybe(seed, 60)
                                  ? nvidia_tools->loaded
                                  : 1 + chance(seed, nvidia_tools->is_mixed ? 2 : 3);
    for (unsigned i = nvidia_tools->is_mig ? chance(seed, 17) : 0; i > 0; i--)
        random_instance(seed, profiles[chance(seed, COUNT(profiles))]);
    /* Somebody may have changed the mode since. */
    nvidia_tools->is_sliced ^= nvidia_tools->can_slice && maybe(seed, 10);
    snprintf(params, sizeof(params), "RegistryDwords: \"%s\"\nRegistryDwordsPerDevice: \"\"\n",
             schedulers[loaded]);
    fake_write(&scene.kernel, "proc/driver/nvidia/params", params);
    nvidia_tools->asked[0] = '\0';
}

/* The cards are declared as they are: what is printed becomes vgpu.conf, or conf.d is written. */
static void
declare_as_they_are(bool written, char **said)
{
    (void)!host_remove(&scene.kernel.host, FILE_OF(NVIDIA));
    (void)!host_remove(&scene.kernel.host, FILE_OF(INTEL));
    scene_configure(&scene, "");
    typed_run(&scene, HERE, written ? "vgpuctl setup --declare" : "vgpuctl setup --print", &typed);
    assert_int_equal(typed.status, COMMAND_DONE);
    *said = strdup(typed.printed);
    if (!written) {
        assert_string_equal(typed.faults, "");
        scene_configure(&scene, *said);
    }
}

/* Whether a GPU instance shows that it has these modes. */
static bool
shows(const struct nvidia_tools *tools, const struct nvidia_tools_instance *instance,
      const struct nvidia_tools_instance *other)
{
    return !strcmp(instance->profile, other->profile) &&
           (!tools->is_sliced || !instance->is_shared ||
            (other->is_shared && instance->is_mixed == other->is_mixed &&
             instance->scheduler == other->scheduler));
}

/* Whether a card has all that it had before. Instances of one profile are alike, whatever their
 * order is. */
static bool
is_again(const struct nvidia_tools *before, const struct nvidia_tools *now)
{
    bool taken[COUNT(now->instances)] = {false};

    if (before->instance_count != now->instance_count ||
        (before->instance_count ? before->is_sliced != now->is_sliced
                                : before->is_mixed != now->is_mixed) ||
        (!before->is_mig && before->scheduler != now->scheduler))
        return false;
    for (unsigned i = 0; i < before->instance_count; i++) {
        unsigned k = 0;

        while (k < now->instance_count &&
               (taken[k] || !shows(before, &before->instances[i], &now->instances[k])))
            k++;
        if (k == now->instance_count)
            return false;
        taken[k] = true;
    }
    return true;
}

/* Whether all that the card has can be declared. Nobody declares MIG mode without an instance. */
static bool
is_sayable(const char *said)
{
    return !strstr(said, "left out") && !strstr(typed.faults, "left out") &&
           !nvidia_tools->odd_word && nvidia_tools->is_mig == (nvidia_tools->instance_count > 0);
}

TEST(as_they_are)
{
    uint64_t seed = chance_setting("SEED", SEED);

    for (uint64_t i = chance_rounds(300); i > 0; i--) {
        uint64_t began = seed;
        AUTO_FREE char *said = NULL;
        struct nvidia_tools before;
        bool all;

        random_cards(&seed);
        declare_as_they_are(i % 2, &said);
        before = *nvidia_tools;
        all = is_sayable(said);
        if (typed_run(&scene, HERE, "vgpuctl setup", &typed) != COMMAND_DONE ||
            strstr(typed.printed, "done") || *nvidia_tools->asked)
            fail_msg("SEED=%llu ROUNDS=1: %s\n%s%s%s", (unsigned long long)began, said,
                     typed.printed, typed.faults, nvidia_tools->asked);
        nvidia_tools_boot(&scene.kernel);
        (void)typed_run(&scene, HERE, "vgpuctl setup", &typed);
        if (all && !is_again(&before, nvidia_tools))
            fail_msg("SEED=%llu ROUNDS=1: after a boot: %s\n%s%s%s", (unsigned long long)began,
                     said, typed.printed, typed.faults, nvidia_tools->asked);
    }
}

static void
told(uint64_t functions, bool is_mixed, const char *params, const char *words)
{
    nvidia_tools_boot(&scene.kernel);
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, (unsigned)functions), 0);
    nvidia_tools->is_mixed = is_mixed;
    fake_write(&scene.kernel, "proc/driver/nvidia/params", params);
    typed_expect(&scene, HERE, "vgpuctl setup --print", COMMAND_DONE, words, &typed);
}

/* What cannot be said is a comment, with the reason. */
TEST(unsaid)
{
    static const char fixed[] = "RegistryDwords: \"RmPVMRL=0x11\"\nRegistryDwordsPerDevice: \"\"\n";

    told(2, false, "",
         "# " NVIDIA
         ": its functions (2) are left out: NVIDIA's tool enables all functions of " NVIDIA
         ": write functions = \"all\" in vgpu.conf\n");
    assert_null(strstr(typed.printed, "gpus = "));
    told(4, true, fixed,
         "# " NVIDIA ": its scheduler (fixed-share) is left out: NVIDIA has that only for equal "
         "sizes\n");
    typed_assert_has(typed.printed, "setup = { functions = \"all\"; sizes = \"mixed\"; }");
}

static char *
content(const char *file)
{
    AUTO_FREE char *path = NULL;

    assert_true(asprintf(&path, "%s/%s", scene.kernel.path, file) > 0);
    return scene_read(path);
}

/* A file that a person wrote, and a GPU that a person listed, stay as they are. */
TEST(what_a_person_wrote_stays)
{
    static const char own[] = "gpus = ( { address = \"" INTEL "\"; vram = \"16G\"; } );\n";
    AUTO_FREE char *text = NULL;

    nvidia_tools_boot(&scene.kernel);
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    scene_configure(&scene, own);
    typed_expect(&scene, HERE, "vgpuctl setup --declare " INTEL, COMMAND_FAILED,
                 "vgpu.conf:1 lists the GPU " INTEL " already: add there: setup = { functions = "
                 "2; };",
                 &typed);
    assert_false(host_exists(&scene.kernel.host, FILE_OF(INTEL)));
    scene_configure(&scene, "");
    fake_write(&scene.kernel, FILE_OF(NVIDIA), "# mine\n");
    typed_expect(&scene, HERE, "vgpuctl setup --declare " NVIDIA, COMMAND_FAILED,
                 "/" FILE_OF(NVIDIA) " is there, and 'vgpuctl setup --declare' has not written it",
                 &typed);
    text = content(FILE_OF(NVIDIA));
    assert_string_equal(text, "# mine\n");
}

/* Our own file is written anew. Other GPUs' files stay. */
TEST(what_was_written_is_written_anew)
{
    AUTO_FREE char *before = NULL, *after = NULL;

    nvidia_tools_boot(&scene.kernel);
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    typed_expect(&scene, HERE, "vgpuctl setup --declare", COMMAND_DONE,
                 INTEL ": declared in /" FILE_OF(INTEL) ": functions = 2;", &typed);
    before = content(FILE_OF(INTEL));
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 3), 0);
    typed_expect(&scene, HERE, "vgpuctl setup --declare 03:00.0", COMMAND_DONE,
                 INTEL ": declared in /" FILE_OF(INTEL) ": functions = \"all\";", &typed);
    assert_null(strstr(typed.printed, NVIDIA));
    after = content(FILE_OF(INTEL));
    assert_string_not_equal(before, after);
    assert_true(host_exists(&scene.kernel.host, FILE_OF(NVIDIA)));
    typed_expect(&scene, HERE, "vgpuctl setup --declare 04:00.0", COMMAND_FAILED,
                 "no GPU with virtual functions is called \"04:00.0\"", &typed);
    typed_expect(&scene, HERE, "vgpuctl setup --declare --json", COMMAND_USAGE,
                 "--declare takes no table and no --dry-run", &typed);
}
