/* A lock for sections of a few instructions. A thread that has to wait yields the processor. */
#ifndef SYSTEM_SPIN_H
#define SYSTEM_SPIN_H

#include <sched.h>
#include <stdatomic.h>

static inline void wari_spin_lock(atomic_flag *lock)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        sched_yield();
}

static inline void wari_spin_unlock(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

#endif
