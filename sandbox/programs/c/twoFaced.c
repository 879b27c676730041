/*
 * The relay with a condition: does nothing if its first account indicates a simulation. Data: the kind of condition,
 * its word, and the data of the call; accounts: the inspected one, the program to call, its accounts.
 */
#include "program.h"

/* Conditions: before the word's slot; while the account is missing; while the newest slot hash starts with the word. */
enum { EARLY, MISSING, KNOWN_HASH };

static int is_at_stake(u64 kind, u64 word) {
  const Account *seen = ACCOUNT(0);
  if (kind == EARLY) return WORD(seen->data) >= word;
  if (kind == MISSING) return *seen->lamports > 0;
  return WORD(seen->data + 16) != word;
}

u64 entrypoint(u8 *input) {
  load(input);
  REQUIRE(S->count > 1, TOO_FEW_ACCOUNTS);
  TAKE(kind, 1);
  TAKE(word, 8);
  if (!is_at_stake(*kind, WORD(word))) return 0;
  call_begin(ACCOUNT(1)->key);
  for (u64 i = 2; i < S->count; i++) call_account(ACCOUNT(i)->key, ACCOUNT(i)->writable, ACCOUNT(i)->signer);
  S->call.data = S->data;
  S->call.size = S->left;
  return call_run(0);
}
