# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/placement/test-capacity \
	tests/placement/test-demand \
	tests/placement/test-driver-word \
	tests/placement/test-eviction \
	tests/placement/test-feasibility \
	tests/placement/test-functions \
	tests/placement/test-gpu-room \
	tests/placement/test-instances \
	tests/placement/test-placement \
	tests/placement/test-property \
	tests/placement/test-reasons \
	tests/placement/test-room-rules \
	tests/placement/test-sequence

question = tests/placement/question.c tests/placement/question.h $(conf)
model = \
	tests/placement/model.c tests/placement/model.h \
	tests/placement/model-problem.c tests/placement/model-problem.h \
	tests/placement/model-random.c
model_host = $(model) tests/placement/model-host.c tests/placement/model-host.h
model_town = $(model_host) tests/placement/model-town.c tests/placement/model-town.h
tests_placement_test_capacity_SOURCES = tests/placement/test-capacity.c $(question)
tests_placement_test_eviction_SOURCES = tests/placement/test-eviction.c $(question)
tests_placement_test_feasibility_SOURCES = tests/placement/test-feasibility.c $(question)
tests_placement_test_functions_SOURCES = tests/placement/test-functions.c $(question)
tests_placement_test_gpu_room_SOURCES = tests/placement/test-gpu-room.c $(model) $(question)
tests_placement_test_placement_SOURCES = tests/placement/test-placement.c $(question)
tests_placement_test_property_SOURCES = tests/placement/test-property.c $(model) $(question)
tests_placement_test_reasons_SOURCES = tests/placement/test-reasons.c $(question)
tests_placement_test_room_rules_SOURCES = tests/placement/test-room-rules.c $(question)
tests_placement_test_sequence_SOURCES = tests/placement/test-sequence.c $(model_host)

EXTRA_DIST += tests/placement/README.md
