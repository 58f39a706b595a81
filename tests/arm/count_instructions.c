/* A plugin of qemu: counts the instructions that a program executes, and prints the number when the
 * program ends. All threads share one counter, which is not updated atomically. So the number is
 * exact only for programs with one thread.
 *
 * Debian has no header for qemu plugins. This file declares the part of the plugin interface,
 * version 1 (qemu 4.2 to 8.1), that it uses. */
#include <inttypes.h>
#include <stdio.h>

struct qemu_plugin_tb; /* a translated block: instructions that are executed one after the other */

typedef uint64_t plugin_id;

enum { ADD_TO_COUNTER = 0 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int operation,
                                              void *counter, uint64_t value);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*translated)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(plugin_id id, void (*ended)(plugin_id, void *), void *context);

#define EXPORTED __attribute__((visibility("default")))

extern EXPORTED int qemu_plugin_version;
EXPORTED int qemu_plugin_version = 1;
EXPORTED int qemu_plugin_install(plugin_id id, const void *machine, int argc, char **argv);

static uint64_t executed;

static void count(plugin_id id, struct qemu_plugin_tb *tb)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_TO_COUNTER, &executed,
                                             qemu_plugin_tb_n_insns(tb));
}

static void print(plugin_id id, void *context)
{
    (void)id;
    (void)context;
    fprintf(stderr, "%" PRIu64 " instructions\n", executed);
}

int qemu_plugin_install(plugin_id id, const void *machine, int argc, char **argv)
{
    (void)machine;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, count);
    qemu_plugin_register_atexit_cb(id, print, NULL);
    return 0;
}
