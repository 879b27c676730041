/*
 * A program that does nothing of its own: it calls the program its first account names, with the other accounts, the rights
 * they came with, and the data it was given. It signs for one derived address. Attacks use it in place of programs that cannot
 * be read.
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
