/* `wari-mpi plan`: adds the ranks and the traffic between them to the plan of tools/plan/. Every
 * rank is assumed to run on its own machine. */
#include "tools/mpi/mpi.h"

#include <stdio.h>

#include "solver/cluster/ranks.h"
#include "tools/common/text.h"
#include "tools/plan/plan.h"

/* `job` is the first member, so that a pointer to it can be converted to a pointer to the struct.
 */
struct mpi_plan {
    struct plan_job job;
    struct wari_sharing sharing;
    size_t network; /* bytes per second, as given; 0 means not given */
};

static enum wari_status handle_option(struct plan_job *job, int key, struct wari_error *error)
{
    struct mpi_plan *plan = (struct mpi_plan *)job;

    if (key == 'R')
        return options_int("--ranks", optarg, 1, WARI_RANKS_MAX, &plan->sharing.processes, error);
    return options_size("--network-bandwidth", optarg, &plan->network, error);
}

static enum wari_status check(struct plan_job *job, struct wari_build *build,
                              struct wari_error *error)
{
    struct mpi_plan *plan = (struct mpi_plan *)job;

    if (plan->sharing.processes == 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--ranks R is missing; R is the number of ranks that solve a level");
    if (plan->network == 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--ranks %d needs --network-bandwidth: the bytes per second that each "
                         "rank can send, which is not measured",
                         plan->sharing.processes);
    build->sharing = &plan->sharing;
    return WARI_OK;
}

static void add_network(struct plan_job *job, struct wari_cost_request *request)
{
    const struct mpi_plan *plan = (const struct mpi_plan *)job;

    request->sent = wari_bytes_sent;
    request->speed.network = (double)plan->network * 1e-6;
}

/* ---- Output ---- */

static uint64_t rounded(double amount)
{
    return (uint64_t)(amount + 0.5);
}

static void print_traffic(struct plan_job *job, const struct plan_report *report)
{
    const struct mpi_plan *plan = (const struct mpi_plan *)job;
    const struct wari_cost *cost = report->cost;
    const int ranks = plan->sharing.processes, last = report->request->build->seeds;
    char sent[2][TEXT_NUMBER], network[TEXT_NUMBER];

    printf(
        "threads, memory and time are per rank, for %d rank%s; each rank sends %s, of these %s for "
        "level %d, at %s per second\n",
        ranks, ranks == 1 ? "" : "s", text_bytes(rounded(cost->all.sent), sent[0]),
        text_bytes(rounded(cost->level[last].sent), sent[1]), last,
        text_bytes(plan->network, network));
}

static bool add_traffic(struct plan_job *job, const struct plan_report *report, json_t *object)
{
    const struct mpi_plan *plan = (const struct mpi_plan *)job;
    const struct wari_cost *cost = report->cost;
    json_t *level;
    size_t i;

    json_array_foreach(json_object_get(object, "levels"), i, level)
    {
        const json_int_t seeds = json_integer_value(json_object_get(level, "seeds"));
        if (json_object_set_new(level, "sent",
                                json_integer((json_int_t)rounded(cost->level[seeds].sent))) != 0)
            return false;
    }
    return json_object_set_new(json_object_get(object, "all"), "sent",
                               json_integer((json_int_t)rounded(cost->all.sent))) == 0 &&
           json_object_set_new(json_object_get(object, "speed"), "network",
                               json_real(report->request->speed.network)) == 0 &&
           json_object_set_new(object, "ranks", json_integer(plan->sharing.processes)) == 0;
}

int mpi_plan_run(int argc, char **argv)
{
    static const struct option accepted[] = {PLAN_OPTIONS,
                                             {"ranks", required_argument, NULL, 'R'},
                                             {"network-bandwidth", required_argument, NULL, 'N'},
                                             {NULL, 0, NULL, 0}};
    struct mpi_plan plan = {.job = {.accepted = accepted,
                                    .handle_option = handle_option,
                                    .check = check,
                                    .add_network = add_network,
                                    .print = print_traffic,
                                    .add_json = add_traffic},
                            .sharing = {.level_bytes = wari_ranks_bytes}};

    return plan_run(argc, argv, &plan.job);
}
