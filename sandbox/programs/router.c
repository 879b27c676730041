/*
 * Stand-in for the swap router (Jupiter, version 6): `route_v2` with one step, at the bonding curve or DAMM v2. The
 * step's accounts follow the instruction's own: the venue's program, then the venue's accounts.
 */
#include "program.h"

enum {
  EMPTY_ROUTE = 6000,
  SLIPPAGE_EXCEEDED = 6001,
  NOT_ENOUGH_ACCOUNTS = 6008,
  INVALID_ROUTE_PLAN = 6010,
  INVALID_OUTPUT = 6021,
  SWAP_NOT_SUPPORTED = 6016,
};
#define INCORRECT_PROGRAM 0x700000000ULL
#define DAMM_V2 77
#define DBC 78

static u64 route(void) {
  enum { USER, SOURCE, DESTINATION, SOURCE_MINT, DESTINATION_MINT, SOURCE_PROGRAM, DESTINATION_PROGRAM, OTHER, EVENTS,
         SELF, VENUE };
  TRY(expect("swwrrrrp"));
  TAKE(amounts, 16);
  TAKE(rates, 6);
  TAKE(count, 4);
  REQUIRE(HALF(count) > 0, EMPTY_ROUTE);
  TAKE(step, 5); /* venue, part in basis points, token that goes in, token that comes out */
  REQUIRE(HALF(count) == 1 && SHORT(step + 1) == 10000, INVALID_ROUTE_PLAN);
  REQUIRE(step[0] == DAMM_V2 || step[0] == DBC, SWAP_NOT_SUPPORTED);
  REQUIRE(S->count > VENUE + 1, NOT_ENOUGH_ACCOUNTS);
  REQUIRE(is(VENUE, step[0] == DBC ? DBC_PROGRAM : DAMM_V2_PROGRAM), INCORRECT_PROGRAM);
  TRY(check_token(SOURCE, ACCOUNT(SOURCE_MINT)->key));
  u64 target = absent(OTHER) ? DESTINATION : OTHER;
  TRY(check_token(target, ACCOUNT(DESTINATION_MINT)->key));
  u64 before = TOKEN_AMOUNT(ACCOUNT(target));
  call_begin(ACCOUNT(VENUE)->key);
  for (u64 i = VENUE + 1; i < S->count; i++) {
    /* The user's signature is the only one there is to pass on. */
    int user = same(ACCOUNT(i)->key, ACCOUNT(USER)->key);
    call_account(ACCOUNT(i)->key, ACCOUNT(i)->writable, user);
  }
  call_number(DISCRIMINATOR(0xf8c69e91e17587c8ULL), 8);
  call_number(WORD(amounts), 8);
  call_number(0, 8);
  TRY(call_run(0));
  u64 quoted = WORD(amounts + 8), slippage = SHORT(rates);
  /* quoted × (10,000 − slippage) / 10,000, rounded up, without a number of more than 64 bits */
  u64 least = quoted - (quoted / 10000 * slippage + quoted % 10000 * slippage / 10000);
  u64 arrived = TOKEN_AMOUNT(ACCOUNT(target)) - before;
  REQUIRE(arrived >= least, SLIPPAGE_EXCEEDED);
  sol_set_return_data((const u8 *)&arrived, 8);
  return 0;
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *discriminator = take(8);
  REQUIRE(discriminator, INSTRUCTION_MISSING);
  return WORD(discriminator) == DISCRIMINATOR(0xbb64facc31c4af14ULL) ? route() : UNKNOWN_INSTRUCTION;
}
