/* The native lane: the hash of a frame, BLAKE2b (RFC 7693) with 16 bytes; what physics/snapshot.py makes of the same numbers. */
#include <string.h>

#include "lane.h"

static const uint64_t IV[8] = {
    UINT64_C(0x6A09E667F3BCC908), UINT64_C(0xBB67AE8584CAA73B), UINT64_C(0x3C6EF372FE94F82B), UINT64_C(0xA54FF53A5F1D36F1),
    UINT64_C(0x510E527FADE682D1), UINT64_C(0x9B05688C2B3E6C1F), UINT64_C(0x1F83D9ABFB41BD6B), UINT64_C(0x5BE0CD19137E2179),
};
static const uint8_t SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};
enum { BLOCK = 128, DIGEST = 16 };

static inline uint64_t rotated(uint64_t word, int by) { return word >> by | word << (64 - by); }

#define MIX(a, b, c, d, x, y)                                                                                                   \
    (a += b + (x), d = rotated(d ^ a, 32), c += d, b = rotated(b ^ c, 24), a += b + (y), d = rotated(d ^ a, 16), c += d,        \
     b = rotated(b ^ c, 63))

static void compress(uint64_t *h, const uint8_t *block, uint64_t length, bool last)
{
    uint64_t v[16], m[16];
    memcpy(m, block, BLOCK);
    memcpy(v, h, 64);
    memcpy(v + 8, IV, 64);
    v[12] ^= length;
    if (last) v[14] = ~v[14];
    for (int round = 0; round < 12; round++) {
        const uint8_t *s = SIGMA[round % 10];
        MIX(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
        MIX(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
        MIX(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
        MIX(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
        MIX(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
        MIX(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
        MIX(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
        MIX(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[8 + i];
}

static void blake2b(const uint8_t *bytes, size_t length, uint8_t *digest)
{
    uint64_t h[8];
    memcpy(h, IV, sizeof h);
    h[0] ^= UINT64_C(0x01010000) ^ DIGEST;
    size_t done = 0;
    for (; length - done > BLOCK; done += BLOCK) compress(h, bytes + done, done + BLOCK, false);
    uint8_t rest[BLOCK] = {0};
    if (length > done) memcpy(rest, bytes + done, length - done);
    compress(h, rest, length, true);
    memcpy(digest, h, DIGEST);
}

void lane_set_digests(lane *l, uint8_t *digests, int capacity, const int64_t *rows, int row_count)
{
    l->digests = digests, l->digest_capacity = capacity, l->digest_count = 0;
    l->rows = rows, l->row_count = row_count;
}

int lane_digest_count(lane *l) { return l->digest_count; }

int lane_digest(lane *l)
{
    if (!l->digest_capacity) return 0;
    if (!lane_grow((void **)&l->state, &l->state_capacity, 13 * l->row_count, sizeof *l->state)) return LANE_FULL;
    const struct {
        const double *from;
        int width;
    } parts[4] = {{l->k->positions, 3}, {l->k->quaternions, 4}, {l->k->linear, 3}, {l->k->angular, 3}};
    double *to = l->state;
    for (int part = 0; part < 4; part++)
        for (int i = 0; i < l->row_count; i++, to += parts[part].width)
            memcpy(to, parts[part].from + parts[part].width * l->rows[i], (size_t)parts[part].width * sizeof *to);
    blake2b((const uint8_t *)l->state, (size_t)(13 * l->row_count) * sizeof *l->state, l->digests + DIGEST * l->digest_count++);
    return 0;
}
