# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/doctor/test-pool-modes \
	tests/doctor/test-doctor \
	tests/doctor/test-domains \
	tests/doctor/test-new-cards \
	tests/doctor/test-nvidia-cards \
	tests/doctor/test-setup \
	tests/doctor/test-virtual-functions

planted = tests/doctor/planted.c tests/doctor/planted.h
tests_doctor_test_pool_modes_SOURCES = tests/doctor/test-pool-modes.c $(planted)
tests_doctor_test_doctor_SOURCES = tests/doctor/test-doctor.c $(planted)
tests_doctor_test_domains_SOURCES = tests/doctor/test-domains.c $(planted)
tests_doctor_test_new_cards_SOURCES = tests/doctor/test-new-cards.c $(planted)
tests_doctor_test_nvidia_cards_SOURCES = tests/doctor/test-nvidia-cards.c $(planted)
tests_doctor_test_virtual_functions_SOURCES = tests/doctor/test-virtual-functions.c $(planted)
