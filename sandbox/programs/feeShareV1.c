/*
 * Stand-in for the retired fee share program of two wallets (version 1): CreateFeeVaults alone, since nothing launches
 * from its configs any more. The original is not published; its interface fixes names, accounts and errors. That
 * the shares are basis points of 10,000 is concluded from the service's request; the interface's own message says 100.
 */
#include "program.h"

#define FEE_AUTHORITY 0x87a25b189c5ec168ULL
#define FEE_AUTHORITY_BYTES 109
#define VAULT 0xd308e82b02987577ULL
#define VAULT_BYTES 73
#define ALL 10000

enum { INVALID_BPS = 6002, INVALID_ORDER = 6004 };

static u64 make_vault_of(u64 payer, u64 vault, u64 claimer, u64 base, u64 authority) {
  seeds_begin();
  SEED_TEXT("vault");
  SEED_KEY(ACCOUNT(claimer)->key);
  SEED_KEY(ACCOUNT(base)->key);
  TRY(make_own(payer, vault, VAULT_BYTES, VAULT));
  u8 *data = ACCOUNT(vault)->data;
  copy_key(data + 8, ACCOUNT(authority)->key);
  copy_key(data + 40, ACCOUNT(claimer)->key);
  data[72] = S->bump;
  return 0;
}

static u64 create_vaults(void) {
  enum { PAYER, AUTHORITY, CLAIMER_A, CLAIMER_B, VAULT_A, VAULT_B, FEES, HOLDS, BASE, QUOTE, SYSTEM, TOKENS, ATAS };
  TRY(expect("Wrrrwwwwrrrrr"));
  TAKE(shares, 4);
  REQUIRE(is(SYSTEM, SYSTEM_PROGRAM) && is(ATAS, ASSOCIATED_TOKEN_PROGRAM), WRONG_PROGRAM);
  REQUIRE(is(TOKENS, ACCOUNT(QUOTE)->owner), WRONG_PROGRAM);
  REQUIRE(SHORT(shares) + SHORT(shares + 2) == ALL, INVALID_BPS);
  REQUIRE(behind(ACCOUNT(CLAIMER_B)->key, ACCOUNT(CLAIMER_A)->key), INVALID_ORDER);
  for (u64 i = 0; i < 2; i++) TRY(make_vault_of(PAYER, VAULT_A + i, CLAIMER_A + i, BASE, FEES));
  seeds_begin();
  SEED_TEXT("fee_authority");
  SEED_KEY(ACCOUNT(CLAIMER_A)->key);
  SEED_KEY(ACCOUNT(CLAIMER_B)->key);
  SEED_KEY(ACCOUNT(BASE)->key);
  TRY(make_own(PAYER, FEES, FEE_AUTHORITY_BYTES, FEE_AUTHORITY));
  u8 *data = ACCOUNT(FEES)->data;
  data[108] = S->bump;
  copy_key(data + 8, ACCOUNT(CLAIMER_A)->key);
  copy_key(data + 40, ACCOUNT(CLAIMER_B)->key);
  copy(data + 72, shares, 4);
  copy_key(data + 76, ACCOUNT(BASE)->key);
  return associated_account(PAYER, HOLDS, QUOTE, ACCOUNT(FEES)->key, ACCOUNT(QUOTE)->owner);
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *discriminator = take(8);
  REQUIRE(discriminator, INSTRUCTION_MISSING);
  return WORD(discriminator) == DISCRIMINATOR(0x28d8ef8d7fdcadddULL) ? create_vaults() : UNKNOWN_INSTRUCTION;
}
