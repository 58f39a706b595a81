/* `wari plan` for ranks: a machine for each, the network between them, and what they send. */
#include "tools/mpi/shared_plan.h"

#include <stdio.h>

#include "solver/cluster/ranks.h"
#include "tools/common/text.h"
#include "tools/mpi/sent.h"
#include "tools/plan/plan.h"
#include "tools/plan/plan_report.h"

/* `job` comes first: the address is that of both. */
struct shared_plan {
    struct plan_job job;
    struct wari_sharing sharing;
    size_t network; /* bytes a second, as given; 0: not */
};

static enum wari_status handle_option(struct plan_job *job, int key, struct wari_error *error)
{
    struct shared_plan *plan = (struct shared_plan *)job;

    if (key == 'R')
        return options_int("--ranks", optarg, 1, WARI_RANKS_MAX, &plan->sharing.processes, error);
    return options_size("--network-bandwidth", optarg, &plan->network, error);
}

static enum wari_status check(struct plan_job *job, struct wari_build *build,
                              struct wari_error *error)
{
    struct shared_plan *plan = (struct shared_plan *)job;

    if (plan->sharing.processes == 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--ranks R is missing: machines that share each level");
    if (plan->network == 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--ranks %d needs --network-bandwidth: bytes a second that each rank "
                         "can send, which cannot be measured here",
                         plan->sharing.processes);
    build->sharing = &plan->sharing;
    return WARI_OK;
}

static void share(struct plan_job *job, struct wari_cost_request *request)
{
    const struct shared_plan *plan = (const struct shared_plan *)job;

    request->sent = wari_sent_bytes;
    request->speed.network = (double)plan->network * 1e-6;
}

/* ---- What is printed ---- */

static uint64_t whole(double amount)
{
    return (uint64_t)(amount + 0.5);
}

static void text(struct plan_job *job, const struct plan_report *report)
{
    const struct shared_plan *plan = (const struct shared_plan *)job;
    const struct wari_cost *cost = report->cost;
    const int ranks = plan->sharing.processes, last = report->request->build->seeds;
    char sent[2][TEXT_NUMBER], network[TEXT_NUMBER];

    printf("by each of %d rank%s, and with its threads and memory; each sends %s, level %d %s of "
           "that, at %s a second\n",
           ranks, ranks == 1 ? "" : "s", text_bytes(whole(cost->all.sent), sent[0]), last,
           text_bytes(whole(cost->level[last].sent), sent[1]), text_bytes(plan->network, network));
}

static bool json(struct plan_job *job, const struct plan_report *report, json_t *object)
{
    const struct shared_plan *plan = (const struct shared_plan *)job;
    const struct wari_cost *cost = report->cost;
    json_t *level;
    size_t i;

    json_array_foreach(json_object_get(object, "levels"), i, level)
    {
        const json_int_t seeds = json_integer_value(json_object_get(level, "seeds"));
        if (json_object_set_new(level, "sent",
                                json_integer((json_int_t)whole(cost->level[seeds].sent))) != 0)
            return false;
    }
    return json_object_set_new(json_object_get(object, "all"), "sent",
                               json_integer((json_int_t)whole(cost->all.sent))) == 0 &&
           json_object_set_new(json_object_get(object, "speed"), "network",
                               json_real(report->request->speed.network)) == 0 &&
           json_object_set_new(object, "ranks", json_integer(plan->sharing.processes)) == 0;
}

int shared_plan_run(int argc, char **argv)
{
    static const struct option accepted[] = {PLAN_OPTIONS,
                                             {"ranks", required_argument, NULL, 'R'},
                                             {"network-bandwidth", required_argument, NULL, 'N'},
                                             {NULL, 0, NULL, 0}};
    struct shared_plan plan = {.job = {.accepted = accepted,
                                       .handle_option = handle_option,
                                       .check = check,
                                       .share = share,
                                       .text = text,
                                       .json = json},
                               .sharing = {.level_bytes = wari_ranks_bytes}};

    return plan_run(argc, argv, &plan.job);
}
