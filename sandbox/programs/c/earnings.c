/*
 * Our own program: pays out a wallet's vaults as partner or deployer, one vault per token. The service lists and pays
 * such vaults, whose program is not published; this one is invented for the sandbox.
 */
#include "program.h"

enum { NOTHING_TO_CLAIM = 6000 };

/* The vault is the associated token account of an address derived from kind, wallet and mint; the wallet signs. */
static u64 claim(void) {
  enum { PAYER, WALLET, OWNER, VAULT, DESTINATION, MINT, TOKENS, SYSTEM, ATAS };
  TRY(expect_only("Wsrwwrrrr"));
  TAKE(deployer, 1);
  const u8 *tokens = ACCOUNT(MINT)->owner;
  REQUIRE(is_token_program(tokens) && is(TOKENS, tokens), WRONG_PROGRAM);
  REQUIRE(*deployer <= 1, DATA_DOES_NOT_FIT);
  REQUIRE(is(VAULT, associated(ACCOUNT(OWNER)->key, tokens, ACCOUNT(MINT)->key)), WRONG_ASSOCIATED);
  TRY(check_token(VAULT, ACCOUNT(MINT)->key));
  TRY(associated_account(PAYER, DESTINATION, MINT, ACCOUNT(WALLET)->key, tokens));
  u64 amount = TOKEN_AMOUNT(ACCOUNT(VAULT));
  REQUIRE(amount > 0, NOTHING_TO_CLAIM);
  seeds_begin();
  if (*deployer) SEED_TEXT("deployer");
  else SEED_TEXT("partner");
  SEED_KEY(ACCOUNT(WALLET)->key);
  SEED_KEY(ACCOUNT(MINT)->key);
  REQUIRE(is(OWNER, derive_own()), WRONG_SEEDS);
  MOVE(VAULT, MINT, DESTINATION, OWNER, amount, 1);
  return 0;
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *discriminator = take(8);
  REQUIRE(discriminator, INSTRUCTION_MISSING);
  return WORD(discriminator) == DISCRIMINATOR(0x3163a1aa16e9368cULL) ? claim() : UNKNOWN_INSTRUCTION;
}
