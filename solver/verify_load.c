/* Reads a level into memory: its chunks in parallel, each checked against its hash by db/. */
#include "db/level_reader.h"
#include "solver/verify.h"

/* Chunks are dealt out among the threads; the first failure is kept and ends the work. */
struct load {
    const struct wari_verifier *verifier;
    const struct wari_level_reader *reader;
    uint64_t chunks;
    atomic_bool ended;
    enum wari_status status; /* guarded by the critical section */
    struct wari_error error; /* likewise */
};

static void fail_load(struct load *load, enum wari_status status, const struct wari_error *error)
{
#pragma omp critical(wari_verify_load)
    {
        if (load->status == WARI_OK) {
            load->status = status;
            load->error = *error;
        }
    }
    atomic_store(&load->ended, true);
}

/* One thread's share of the chunks. */
static void load_chunks(struct load *load)
{
    const struct wari_verifier *verifier = load->verifier;
    int8_t *values = verifier->values[verifier->seeds];
    struct wari_decoder *decoder;
    struct wari_error error;
    enum wari_status status = wari_decoder_create(&decoder, verifier->host, &error);
    if (status != WARI_OK) {
        decoder = NULL;
        fail_load(load, status, &error);
    }
#pragma omp for schedule(dynamic, 1)
    for (uint64_t chunk = 0; chunk < load->chunks; chunk++) {
        if (atomic_load_explicit(&load->ended, memory_order_relaxed))
            continue;
        if (wari_verify_stopped(verifier->verify)) {
            status = wari_fail(&error, WARI_INTERRUPTED, "stopped while reading level %d",
                               verifier->seeds);
        } else {
            status = wari_level_reader_chunk(load->reader, decoder, chunk,
                                             values + chunk * WARI_CHUNK_POSITIONS, &error);
        }
        if (status != WARI_OK)
            fail_load(load, status, &error);
    }
    wari_decoder_destroy(decoder);
}

enum wari_status wari_verify_load(const struct wari_verifier *verifier, uint64_t *payload_hash)
{
    struct wari_level_key key = {verifier->verify->variant, verifier->seeds};
    struct load load = {.verifier = verifier,
                        .chunks = wari_chunk_count(wari_level_positions(verifier->seeds))};
    struct wari_level_reader *reader;
    enum wari_status status =
        wari_level_reader_open(&reader, verifier->host, verifier->verify->folder, key,
                               &verifier->catalogue.level[verifier->seeds], verifier->error);
    if (status != WARI_OK)
        return status;

    wari_verify_progress(verifier, "reading", 0);
    load.reader = reader;
#pragma omp parallel num_threads(wari_verify_team(verifier->threads, load.chunks))
    load_chunks(&load);
    *payload_hash = wari_level_reader_payload_hash(reader);
    wari_level_reader_close(reader);
    if (load.status != WARI_OK && verifier->error)
        *verifier->error = load.error;
    return load.status;
}
