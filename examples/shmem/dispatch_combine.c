/* dispatch_combine.c: tokens travel to the experts they chose and come back weighted. One expert
 * per PE, two per token. dispatch: put each token into the next free slot that the expert keeps for
 * this source, fence, then one word that says how many came: -(n + 1), so that "none" differs from
 * "not yet". combine:  the expert puts each result back to the slot of (token, choice), fence, one
 * flag per expert. Two sets of buffers and words alternate. A PE clears the words of the next set
 * before it sends, which is safe because nobody sends for the next round before it has this round's
 * results from everybody.
 *
 *   moac-launch -n 4 example-dispatch-combine [--targeted]
 */
#include "examples/shmem/exchange.h"

enum { TOKENS = 48, HIDDEN = 64, CHOICES = 2, ROUNDS = 50 };

typedef struct Token {
  int32_t index, choice; /* where the result belongs */
  float value[HIDDEN];
} Token;

typedef struct Buffers {
  Token *in;      /* [2][pes][TOKENS * CHOICES] at the expert */
  int64_t *count; /* [2][pes] at the expert */
  float *back;    /* [2][TOKENS][CHOICES][HIDDEN] at the source */
  uint64_t *done; /* [pes], epochs */
} Buffers;

static int expert_of(int pe, int token, int choice, int round, int pes) {
  if (round % 5 == 4)
    return 0; /* everybody wants the same expert */
  return (pe + token * (choice + 1) + round + choice) % pes;
}
static float input(int pe, int token, int i) { return (float)((pe * 13 + token * 5 + i) % 97); }
static float at_expert(int expert, float x) { return x * (float)(expert + 1) + 1; }

static void dispatch(moac_shmem_context context, Buffers b, int round) {
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  size_t set = (size_t)(round % 2) * (size_t)pes + (size_t)me;
  for (int expert = 0; expert < pes; ++expert) {
    int64_t sent = 0;
    for (int t = 0; t < TOKENS; ++t)
      for (int c = 0; c < CHOICES; ++c) {
        if (expert_of(me, t, c, round, pes) != expert)
          continue;
        Token token = {t, c, {0}};
        for (int i = 0; i < HIDDEN; ++i)
          token.value[i] = input(me, t, i);
        must(moac_shmem_put(context, b.in + set * TOKENS * CHOICES + (size_t)sent, &token,
                            sizeof token, expert));
        ++sent;
      }
    must(moac_shmem_fence(context));
    must(
        moac_shmem_atomic_set(context, (uint64_t *)&b.count[set], (uint64_t) - (sent + 1), expert));
  }
}

static void serve(moac_shmem_context context, Buffers b, int round) {
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  for (int from = 0; from < pes; ++from) {
    size_t set = (size_t)(round % 2) * (size_t)pes + (size_t)from;
    uint64_t word = 0;
    must(moac_shmem_signal_wait_until((uint64_t *)&b.count[set], MOAC_SHMEM_NE, 0, &word));
    for (int64_t s = 0; s < -(int64_t)word - 1; ++s) {
      Token *token = &b.in[set * TOKENS * CHOICES + (size_t)s];
      size_t place = (((size_t)(round % 2) * TOKENS + (size_t)token->index) * CHOICES +
                      (size_t)token->choice) *
                     HIDDEN;
      for (int i = 0; i < HIDDEN; ++i)
        token->value[i] = at_expert(me, token->value[i]);
      must(moac_shmem_put(context, b.back + place, token->value, sizeof token->value, from));
    }
    b.count[set] = 0; /* free for round + 2: nobody writes it before all have combined this round */
    must(moac_shmem_fence(context));
    must(moac_shmem_atomic_set(context, &b.done[me], (uint64_t)round + 1, from));
  }
}

static int combine(Buffers b, int round) {
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes(), wrong = 0;
  for (int expert = 0; expert < pes; ++expert)
    must(moac_shmem_signal_wait_until(&b.done[expert], MOAC_SHMEM_GE, (uint64_t)round + 1, NULL));
  for (int t = 0; t < TOKENS; ++t)
    for (int i = 0; i < HIDDEN; ++i) {
      float sum = 0, expected = 0;
      for (int c = 0; c < CHOICES; ++c) {
        float weight = c == 0 ? 0.75f : 0.25f;
        sum += weight *
               b.back[(((size_t)(round % 2) * TOKENS + (size_t)t) * CHOICES + (size_t)c) * HIDDEN +
                      (size_t)i];
        expected += weight * at_expert(expert_of(me, t, c, round, pes), input(me, t, i));
      }
      wrong += sum != expected;
    }
  return wrong;
}

int main(int argc, char **argv) {
  bool targeted = has_option(argc, argv, "--targeted");
  must(moac_shmem_init());
  size_t pes = (size_t)moac_shmem_n_pes();
  int wrong = 0;
  Buffers b = {symmetric(2 * pes * TOKENS * CHOICES * sizeof(Token), targeted),
               symmetric(2 * pes * sizeof(int64_t), targeted),
               symmetric((size_t)2 * TOKENS * CHOICES * HIDDEN * sizeof(float), targeted),
               symmetric(pes * sizeof(uint64_t), targeted)};
  moac_shmem_context context = exchange_context(targeted);
  double start = seconds();
  for (int round = 0; round < ROUNDS; ++round) {
    dispatch(context, b, round);
    serve(context, b, round);
    wrong += combine(b, round);
  }
  if (moac_shmem_my_pe() == 0)
    printf("dispatch + combine%s: %zu PEs, %d tokens each, %.1f us per round\n",
           targeted ? " (targeted)" : "", pes, TOKENS, (seconds() - start) / ROUNDS * 1e6);
  must(moac_shmem_finalize());
  return wrong != 0;
}
