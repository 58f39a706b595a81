/* Tests db/probe/distance_hold.c: where a surplus can be held for ever, or an event can be forced
 * in between. (An event is a capture, an end of the game or a better value. X, the player with the
 * surplus, wins by either.)
 *
 * Small levels can be proved completely (test_db_player.c), but they hardly ever contain more than
 * one of the regions that distance_hold.c describes. So this test uses random graphs. It finds the
 * true winner of each graph by trying every strategy of X. It is sufficient to try strategies that
 * depend on the position alone: if X can win such a game at all, X can win it with one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "db/probe/distance_graph.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { NODES = 10, K = 2, MOVES = 3, UNMOVED = -1 };

struct graph {
    struct wari_distance_node nodes[NODES];
    struct wari_distance_search search;
};

/* ---- Graphs ---- */

static void set_node(struct graph *graph, int number, bool x_to_move, int surplus)
{
    struct wari_distance_node *node = &graph->nodes[number];

    *node = (struct wari_distance_node){
        .x_to_move = x_to_move, .expanded = true, .lower = DISTANCE_INFINITE};
    node->upper = DISTANCE_INFINITE;
    node->stage = 77; /* a value from an earlier search must not matter */
    node->position.pits[x_to_move ? 1 : WARI_HALF_PITS + 1] = (uint8_t)(10 + surplus);
    node->position.pits[x_to_move ? WARI_HALF_PITS : 0] = 10;
}

/* Adds `child` to the children of node `number`. The child's pit identifies it. */
static void add_kid(struct graph *graph, int number, int child)
{
    struct wari_distance_node *node = &graph->nodes[number];

    node->child[node->children] = child;
    node->pit[node->children++] = (uint8_t)child;
}

static void set_event(struct graph *graph, int number)
{
    graph->nodes[number].lower = graph->nodes[number].upper = 1;
}

static bool near(const struct graph *graph, int number)
{
    return graph->nodes[number].upper != DISTANCE_INFINITE;
}

/* Sets the distance of all nodes from which X can force an event, as the search does. This test
 * does not use the distance itself, only whether there is one. */
static void spread_events(struct graph *graph)
{
    for (int round = 0; round < NODES; round++)
        for (int i = 0; i < NODES; i++) {
            struct wari_distance_node *node = &graph->nodes[i];
            int count = 0;

            for (int j = 0; j < node->children; j++)
                count += near(graph, node->child[j]);
            if (!near(graph, i) && count > 0 && (node->x_to_move || count == node->children))
                node->lower = node->upper = 2;
        }
}

static void start(struct graph *graph)
{
    spread_events(graph);
    graph->search = (struct wari_distance_search){.progress = WARI_PROGRESS_EVENT,
                                                  .k = K,
                                                  .count = NODES,
                                                  .expanded = NODES,
                                                  .nodes = graph->nodes};
}

static uint64_t next_random(uint64_t *random)
{
    *random += 0x9e3779b97f4a7c15;
    uint64_t mixed = (*random ^ (*random >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

static int below(uint64_t *random, int bound)
{
    return (int)(next_random(random) % (uint64_t)bound);
}

/* Makes a random graph in which the players alternate. At least half of the nodes have the surplus;
 * some are events. */
static void make_random(struct graph *graph, uint64_t *random)
{
    const int rare = 4 + below(random, 20);

    for (int i = 0; i < NODES; i++)
        set_node(graph, i, i % 2 == 0, K + (below(random, 3) == 0 ? -1 : below(random, 2)));
    for (int i = 0; i < NODES; i++) {
        const int children = below(random, rare) == 0 ? 0 : 1 + below(random, MOVES);

        if (children == 0)
            set_event(graph, i);
        for (int j = 0; j < children; j++)
            add_kid(graph, i, 2 * below(random, NODES / 2) + (i % 2 == 0));
    }
    start(graph);
}

/* ---- Who wins ---- */

/* A strategy of X: for each node where X is to move, the index of the chosen child. UNMOVED
 * means that the strategy has no move at the node; X then loses there. */
struct strategy {
    int index[NODES];
};

static bool has_edge(const struct graph *graph, const struct strategy *strategy, int from, int to)
{
    const struct wari_distance_node *node = &graph->nodes[from];

    for (int j = 0; j < node->children; j++)
        if (node->child[j] == to && (!node->x_to_move || strategy->index[from] == j))
            return true;
    return false;
}

/* Finds the nodes from which X loses with this strategy. X loses if the opponent can prevent an
 * event for ever and X does not keep the surplus. This is the case if the opponent can reach a
 * cycle that contains a node without the surplus, or a node where the strategy has no move. */
static void find_lost(const struct graph *graph, const struct strategy *strategy, bool lost[NODES])
{
    bool leads[NODES][NODES];

    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            leads[i][j] = !near(graph, i) && has_edge(graph, strategy, i, j);
    for (int middle = 0; middle < NODES; middle++)
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++)
                leads[i][j] |= leads[i][middle] && leads[middle][j];
    for (int i = 0; i < NODES; i++) {
        lost[i] = false;
        for (int j = 0; j < NODES; j++) {
            const bool stuck = graph->nodes[j].x_to_move && strategy->index[j] == UNMOVED;
            const bool back = leads[j][j] && wari_distance_surplus(&graph->nodes[j]) < K;

            if (!near(graph, j) && (i == j || leads[i][j]))
                lost[i] |= stuck || back;
        }
    }
}

/* Changes the strategy to the next one. Returns false after the last strategy. */
static bool next_strategy(const struct graph *graph, struct strategy *strategy)
{
    for (int i = 0; i < NODES; i++) {
        if (!graph->nodes[i].x_to_move || near(graph, i))
            continue;
        if (++strategy->index[i] < graph->nodes[i].children)
            return true;
        strategy->index[i] = 0;
    }
    return false;
}

static void find_won(const struct graph *graph, bool won[NODES])
{
    struct strategy strategy = {{0}};
    bool lost[NODES];

    memset(won, false, NODES * sizeof *won);
    do {
        find_lost(graph, &strategy, lost);
        for (int i = 0; i < NODES; i++)
            won[i] |= !lost[i];
    } while (next_strategy(graph, &strategy));
}

/* ---- Tests ---- */

/* Returns the index of the child that the move from `pit` leads to; UNMOVED if there is none. */
static int place_of(const struct graph *graph, int number, int pit)
{
    const struct wari_distance_node *node = &graph->nodes[number];
    int index = UNMOVED;

    for (int j = 0; j < node->children; j++)
        if (node->pit[j] == pit)
            index = j;
    return index;
}

/* Asserts that wari_distance_hold_pit() returns a move for exactly the nodes where X is to move and
 * can win, and that X wins with these moves whatever the opponent does. Nodes from which X can
 * force an event are not tested, since no surplus has to be held there. Returns the number of
 * tested nodes where X can win. */
static int check(struct graph *graph)
{
    struct strategy strategy;
    bool won[NODES], lost[NODES];
    int held = 0;

    find_won(graph, won);
    for (int i = 0; i < NODES; i++) {
        const struct wari_distance_node *node = &graph->nodes[i];

        strategy.index[i] = UNMOVED;
        if (near(graph, i) || !node->x_to_move)
            continue;
        const int pit = wari_distance_hold_pit(&graph->search, i);
        assert_int_equal(pit != DISTANCE_NONE, won[i]);
        strategy.index[i] = place_of(graph, i, pit);
        held += won[i];
    }
    find_lost(graph, &strategy, lost);
    for (int i = 0; i < NODES; i++)
        assert_int_equal(lost[i], !won[i]);
    return held;
}

static void a_move_is_found_where_the_surplus_can_be_held_and_holds_it(void **state)
{
    const int graphs = test_scale(6000, 1000);
    uint64_t random = 1;
    int held = 0, stages = 0;

    (void)state;
    for (int i = 0; i < graphs; i++) {
        struct graph graph;

        make_random(&graph, &random);
        held += check(&graph) > 0;
        for (int j = 0; j < NODES; j++)
            stages += graph.search.staged && graph.nodes[j].stage > 3;
    }
    /* A sufficient part of the random graphs must contain nodes of the tested kinds. */
    assert_true(held > graphs / 4);
    assert_true(stages > graphs / 4);
}

/* The move depends on the position alone. It does not depend on the position where the search
 * began or on the order of the nodes. */
static void the_order_of_the_nodes_changes_no_move(void **state)
{
    uint64_t random = 2;

    (void)state;
    for (int i = 0; i < test_scale(6000, 1000); i++) {
        struct graph one, other;
        int index[NODES];

        make_random(&one, &random);
        for (int j = 0; j < NODES; j++)
            index[j] = j;
        for (int j = NODES - 1; j > 0; j--) {
            const int k = below(&random, j + 1), kept = index[j];

            index[j] = index[k];
            index[k] = kept;
        }
        other = one;
        other.search.nodes = other.nodes;
        one.search.nodes = one.nodes;
        for (int j = 0; j < NODES; j++) {
            struct wari_distance_node *node = &other.nodes[index[j]];

            *node = one.nodes[j];
            for (int k = 0; k < node->children; k++)
                node->child[k] = index[node->child[k]];
        }
        for (int j = 0; j < NODES; j++)
            if (!near(&one, j))
                assert_int_equal(wari_distance_hold_pit(&one.search, j),
                                 wari_distance_hold_pit(&other.search, index[j]));
    }
}

/* One region is safe only because another region exists. X moves at nodes with even numbers. At
 * node 0, X has the surplus and keeps it by moving to node 1. The opponent may then move to node
 * 2, where X does not have the surplus. But from node 2, X reaches the cycle of nodes 4 and 5,
 * where X has it for ever. From node 6, X can only move to node 7 and back, without the surplus. */
static void one_region_makes_another_one_safe(void **state)
{
    static const int surplus[NODES] = {K, K, K - 1, K - 1, K, K + 1, K, K - 1, K, K - 1};
    static const int edges[][2] = {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 4},
                                   {6, 7}, {7, 6}, {8, 9}, {8, 1}, {9, 6}, {9, 0}};
    static const int moves[NODES] = {1, UNMOVED, 3, UNMOVED, 5, UNMOVED, UNMOVED, UNMOVED, 1};
    struct graph graph;

    (void)state;
    for (int i = 0; i < NODES; i++)
        set_node(&graph, i, i % 2 == 0, surplus[i]);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        add_kid(&graph, edges[i][0], edges[i][1]);
    start(&graph);
    for (int i = 0; i < NODES; i += 2)
        assert_int_equal(wari_distance_hold_pit(&graph.search, i), moves[i]);
    assert_int_equal(check(&graph), 4);
}

TEST_GROUP(test_db_distance_hold)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_is_found_where_the_surplus_can_be_held_and_holds_it),
        cmocka_unit_test(the_order_of_the_nodes_changes_no_move),
        cmocka_unit_test(one_region_makes_another_one_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
