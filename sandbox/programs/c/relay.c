/*
 * Calls the program in its first account with its other accounts, their rights, and its data. Signs for one derived
 * address. Attacks use it as an unsupported program.
 */
#include "program.h"

u64 entrypoint(u8 *input) {
  load(input);
  REQUIRE(S->count > 0, TOO_FEW_ACCOUNTS);
  seeds_begin();
  SEED_TEXT("relay");
  const u8 *own = derive_own();
  call_begin(ACCOUNT(0)->key);
  for (u64 i = 1; i < S->count; i++)
    call_account(ACCOUNT(i)->key, ACCOUNT(i)->writable, ACCOUNT(i)->signer || same(ACCOUNT(i)->key, own));
  S->call.data = S->data;
  S->call.size = S->left;
  return call_run(1);
}
