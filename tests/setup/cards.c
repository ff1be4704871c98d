/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/cards.h"

#include <stdio.h>

struct scene scene;
struct typed typed;

void
install_tools(void)
{
    nvidia_tools_install(&scene.kernel, NVIDIA, 4);
    nvidia_tools_boot(&scene.kernel);
}

void
install_both(void)
{
    install_tools();
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
}

void
run(const char *line, int status, const char *words)
{
    typed_expect(&scene, HERE, line, status, words, &typed);
}

void
declare(const char *setup)
{
    scene_declare(&scene, NVIDIA, setup);
}

void
declare_both(const char *nvidias, const char *intels)
{
    AUTO_FREE char *text = NULL;

    assert_true(asprintf(&text,
                         "gpus = ( { address = \"" NVIDIA "\"; setup = { %s }; },\n"
                         "{ address = \"" INTEL "\"; setup = { %s }; } );\n",
                         nvidias, intels) > 0);
    scene_configure(&scene, text);
}

void
bare(void)
{
}

void
with_functions(void)
{
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
}
