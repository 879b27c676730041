/*
 * Stand-in for the swap router (Jupiter, version 6): `route_v2`, `route` and `shared_accounts_route` with one step, at the
 * bonding curve or DAMM v2. The step's accounts follow the instruction's own: the venue's program, then the venue's accounts.
 */
#include "program.h"

enum {
  EMPTY_ROUTE = 6000,
  SLIPPAGE_EXCEEDED = 6001,
  NOT_ENOUGH_ACCOUNTS = 6008,
  INVALID_ROUTE_PLAN = 6010,
  SWAP_NOT_SUPPORTED = 6016,
  INVALID_AUTHORITY = 6020,
};
#define INCORRECT_PROGRAM 0x700000000ULL
#define DAMM_V2 77
#define DBC 78

/* The order of an instruction. */
typedef struct {
  u64 venue;
  u64 amount;
  u64 quoted;
  u64 slippage;
  u64 platform_fee;
} Order;
#define O ((Order *)OWN_STATE)

/* Reads an order's amounts and rates. */
static u64 read_amounts(u64 rates_size) {
  TAKE(amounts, 16);
  TAKE(rates, rates_size);
  O->amount = WORD(amounts);
  O->quoted = WORD(amounts + 8);
  O->slippage = SHORT(rates);
  O->platform_fee = rates_size == 3 ? rates[2] : SHORT(rates + 2);
  return 0;
}

/* Reads the only step: venue, part of `whole`, input token, output token. */
static u64 read_step(u64 whole) {
  TAKE(count, 4);
  REQUIRE(HALF(count) > 0, EMPTY_ROUTE);
  u64 wide = whole > 255;
  TAKE(step, 4 + wide);
  REQUIRE(HALF(count) == 1 && (wide ? SHORT(step + 1) : step[1]) == whole, INVALID_ROUTE_PLAN);
  O->venue = step[0];
  REQUIRE(O->venue == DAMM_V2 || O->venue == DBC, SWAP_NOT_SUPPORTED);
  return 0;
}

/* Swaps at the venue; forwards only the signature of the trader or of the router's own address. */
static u64 trade(u64 venue, u64 trader) {
  REQUIRE(S->count > venue + 1, NOT_ENOUGH_ACCOUNTS);
  REQUIRE(is(venue, O->venue == DBC ? DBC_PROGRAM : DAMM_V2_PROGRAM), INCORRECT_PROGRAM);
  call_begin(ACCOUNT(venue)->key);
  for (u64 i = venue + 1; i < S->count; i++)
    call_account(ACCOUNT(i)->key, ACCOUNT(i)->writable, same(ACCOUNT(i)->key, ACCOUNT(trader)->key));
  call_number(DISCRIMINATOR(0xf8c69e91e17587c8ULL), 8);
  call_number(O->amount, 8);
  call_number(0, 8);
  return call_run(!ACCOUNT(trader)->signer);
}

/* Returns the account the step pays into, by the venue's layout. The output is measured there, as in the original. */
static u64 paid_by(u64 venue) { return venue + (O->venue == DBC ? 5 : 4); }

static u64 arrived_enough(u64 arrived) {
  u64 quoted = O->quoted, slippage = O->slippage;
  /* quoted × (10,000 − slippage) / 10,000, rounded up, without a number of more than 64 bits */
  u64 least = quoted - (quoted / 10000 * slippage + quoted % 10000 * slippage / 10000);
  REQUIRE(arrived >= least, SLIPPAGE_EXCEEDED);
  sol_set_return_data((const u8 *)&arrived, 8);
  return 0;
}

static u64 route_v2(void) {
  enum { USER, SOURCE, DESTINATION, SOURCE_MINT, DESTINATION_MINT, SOURCE_PROGRAM, DESTINATION_PROGRAM, OTHER, EVENTS,
         SELF, VENUE };
  TRY(expect("swwrrrrp"));
  TRY(read_amounts(6));
  TRY(read_step(10000));
  TRY(check_token(SOURCE, ACCOUNT(SOURCE_MINT)->key));
  u64 target = absent(OTHER) ? DESTINATION : OTHER;
  TRY(check_token(target, ACCOUNT(DESTINATION_MINT)->key));
  u64 paid = paid_by(VENUE);
  REQUIRE(S->count > paid, NOT_ENOUGH_ACCOUNTS);
  u64 before = TOKEN_AMOUNT(ACCOUNT(paid));
  TRY(trade(VENUE, USER));
  return arrived_enough(TOKEN_AMOUNT(ACCOUNT(paid)) - before);
}

static u64 route(void) {
  enum { TOKEN, USER, SOURCE, DESTINATION, OTHER, MINT, PLATFORM, EVENTS, SELF, VENUE };
  TRY(expect("rswwprp"));
  TRY(read_step(100));
  TRY(read_amounts(3));
  u64 target = absent(OTHER) ? DESTINATION : OTHER;
  TRY(check_token(target, ACCOUNT(MINT)->key));
  u64 before = TOKEN_AMOUNT(ACCOUNT(target));
  TRY(trade(VENUE, USER));
  u64 arrived = TOKEN_AMOUNT(ACCOUNT(target)) - before;
  u64 rate = absent(PLATFORM) ? 0 : O->platform_fee;
  u64 fee = arrived / 10000 * rate + arrived % 10000 * rate / 10000;
  MOVE(target, MINT, PLATFORM, USER, fee, 0);
  return arrived_enough(arrived - fee);
}

static u64 shared_accounts_route(void) {
  enum { TOKEN, AUTHORITY, USER, SOURCE, OWN_SOURCE, OWN_DESTINATION, DESTINATION, SOURCE_MINT, DESTINATION_MINT,
         PLATFORM, TOKEN_2022, EVENTS, SELF, VENUE };
  TRY(expect("rrswwwwrrpo"));
  TAKE(id, 1);
  TRY(read_step(100));
  TRY(read_amounts(3));
  REQUIRE(absent(PLATFORM), SWAP_NOT_SUPPORTED);
  MOVE(SOURCE, SOURCE_MINT, OWN_SOURCE, USER, O->amount, 0);
  u64 before = TOKEN_AMOUNT(ACCOUNT(OWN_DESTINATION));
  seeds_begin();
  SEED_TEXT("authority");
  seed(id, 1);
  REQUIRE(is(AUTHORITY, derive_own()), INVALID_AUTHORITY);
  TRY(trade(VENUE, AUTHORITY));
  u64 arrived = TOKEN_AMOUNT(ACCOUNT(OWN_DESTINATION)) - before;
  MOVE(OWN_DESTINATION, DESTINATION_MINT, DESTINATION, AUTHORITY, arrived, 1);
  return arrived_enough(arrived);
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *discriminator = take(8);
  REQUIRE(discriminator, INSTRUCTION_MISSING);
  if (WORD(discriminator) == DISCRIMINATOR(0xbb64facc31c4af14ULL)) return route_v2();
  if (WORD(discriminator) == DISCRIMINATOR(0xe517cb977ae3ad2aULL)) return route();
  return WORD(discriminator) == DISCRIMINATOR(0xc1209b3341d69c81ULL) ? shared_accounts_route() : UNKNOWN_INSTRUCTION;
}
