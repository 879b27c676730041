/*
 * Our own program: holds the positions of a pool for its claimers. The service launches DAMM v2 pools with such a
 * custody, whose program is not published; this one is invented for the sandbox.
 *
 * The treasury's position earns for the treasury; the other for the fee claimer, less the partner's share. Both are
 * permanently locked. Their fees go to vaults (earnings.c), one per wallet and token.
 */
#include "wide.h"

#define CUSTODY 0x84abf67bdb776c6aULL
#define CUSTODY_BYTES 208
#define ALL 10000

enum {
  INVALID_PARTNER = 6000,
  OTHER_POSITION = 6001,
  OTHER_ACCOUNT = 6002,
};

/* Fields of a custody. */
#define U_POOL 8
#define U_TREASURY_NFT 40
#define U_CLAIMER_NFT 72
#define U_TREASURY 104
#define U_CLAIMER 136
#define U_PARTNER 168
#define U_BPS 200
#define U_BUMP 202

static void custody_seeds(u64 pool) {
  seeds_begin();
  SEED_TEXT("position_custody");
  SEED_KEY(ACCOUNT(pool)->key);
}
/* Derives the address that holds the position NFTs; it can sign afterwards. */
static const u8 *authority_address(u64 pool) {
  seeds_begin();
  SEED_TEXT("custody_authority");
  SEED_KEY(ACCOUNT(pool)->key);
  return derive_own();
}

/* Records the claimers of a pool, before or after its launch; once per pool. */
static u64 open_custody(void) {
  enum { PAYER, CUSTODY_AT, POOL, TREASURY_NFT, CLAIMER_NFT, TREASURY, CLAIMER, PARTNER, SYSTEM };
  TRY(expect_only("Wwrrrrror"));
  TAKE(bps, 2);
  REQUIRE(absent(PARTNER) ? SHORT(bps) == 0 : SHORT(bps) > 0 && SHORT(bps) < ALL, INVALID_PARTNER);
  custody_seeds(POOL);
  TRY(make_own(PAYER, CUSTODY_AT, CUSTODY_BYTES, CUSTODY));
  u8 *custody = ACCOUNT(CUSTODY_AT)->data;
  custody[U_BUMP] = S->bump;
  for (u64 i = 0; i < 5; i++) copy_key(custody + U_POOL + 32 * i, ACCOUNT(POOL + i)->key);
  if (!absent(PARTNER)) copy_key(custody + U_PARTNER, ACCOUNT(PARTNER)->key);
  SHORT(custody + U_BPS) = SHORT(bps);
  return 0;
}

static u64 check_custody(u64 custody, u64 authority, u64 pool) {
  custody_seeds(pool);
  REQUIRE(is(custody, derive_own()), WRONG_SEEDS);
  TRY(check_account(custody, S->program, CUSTODY, CUSTODY_BYTES));
  REQUIRE(is(authority, authority_address(pool)), WRONG_SEEDS);
  return 0;
}

/* Permanently locks liquidity of a position it holds. */
static u64 lock_position(void) {
  enum { CUSTODY_AT, AUTHORITY, POOL, POSITION, NFT, VENUE_EVENTS, VENUE };
  TRY(expect_only("rrwwrrr"));
  TRY(check_custody(CUSTODY_AT, AUTHORITY, POOL));
  REQUIRE(is(VENUE, DAMM_V2_PROGRAM), WRONG_PROGRAM);
  TAKE(liquidity, 16);
  CALL(DAMM_V2_PROGRAM, "wwrsrr", POOL, POSITION, NFT, AUTHORITY, VENUE_EVENTS, VENUE);
  call_number(DISCRIMINATOR(0xa5b07d06e7abbad5ULL), 8); /* permanent_lock_position */
  call_bytes(liquidity, 16);
  return call_run(1);
}

/* Derives the vault of a wallet's earnings of one kind (earnings.c). */
static u64 earnings(u64 payer, u64 vault, u64 owner, u64 mint, const char *kind, const u8 *wallet) {
  seeds_begin();
  seed(kind, kind[0] == 'p' ? 7 : 8);
  SEED_KEY(wallet);
  SEED_KEY(ACCOUNT(mint)->key);
  REQUIRE(is(owner, derive(EARNINGS_PROGRAM)), OTHER_ACCOUNT);
  return associated_account(payer, vault, mint, ACCOUNT(owner)->key, ACCOUNT(mint)->owner);
}

/* Collects a position's fees and distributes them to the claimers. Any wallet may pay for the transaction. */
static u64 collect(void) {
  enum { PAYER, CUSTODY_AT, AUTHORITY, POOL, POSITION, NFT, HOLDS_A, HOLDS_B, VAULT_A, VAULT_B, MINT_A, MINT_B, PROGRAM_A,
         PROGRAM_B, RECIPIENT_OWNER, RECIPIENT, PARTNER_OWNER, PARTNER, VENUE_AUTHORITY, VENUE_EVENTS, VENUE };
  TRY(expect_only("Wrrrwrwwwwrrrrrwoprrr"));
  TRY(check_custody(CUSTODY_AT, AUTHORITY, POOL));
  REQUIRE(is(VENUE, DAMM_V2_PROGRAM), WRONG_PROGRAM);
  const u8 *custody = ACCOUNT(CUSTODY_AT)->data, *nft = TOKEN_MINT(ACCOUNT(NFT));
  REQUIRE(size(ACCOUNT(NFT)) >= 165, NOT_INITIALIZED);
  int treasury = same(nft, custody + U_TREASURY_NFT);
  REQUIRE(treasury || same(nft, custody + U_CLAIMER_NFT), OTHER_POSITION);
  int shared = !treasury && SHORT(custody + U_BPS) > 0;
  REQUIRE(shared == !absent(PARTNER), INVALID_PARTNER);
  const u8 *holder = ACCOUNT(AUTHORITY)->key;
  for (u64 i = 0; i < 2; i++) TRY(associated_account(PAYER, HOLDS_A + i, MINT_A + i, holder, ACCOUNT(MINT_A + i)->owner));
  const u8 *recipient = custody + (treasury ? U_TREASURY : U_CLAIMER);
  TRY(earnings(PAYER, RECIPIENT, RECIPIENT_OWNER, MINT_B, "deployer", recipient));
  if (shared) TRY(earnings(PAYER, PARTNER, PARTNER_OWNER, MINT_B, "partner", custody + U_PARTNER));

  u64 before = TOKEN_AMOUNT(ACCOUNT(HOLDS_B));
  CALL(DAMM_V2_PROGRAM, "rrwwwwwrrrsrrrr", VENUE_AUTHORITY, POOL, POSITION, HOLDS_A, HOLDS_B, VAULT_A, VAULT_B, MINT_A,
       MINT_B, NFT, AUTHORITY, PROGRAM_A, PROGRAM_B, VENUE_EVENTS, VENUE);
  call_number(DISCRIMINATOR(0xb4269a118521a2d3ULL), 8); /* claim_position_fee */
  authority_address(POOL);
  TRY(call_run(1));
  u64 amount = TOKEN_AMOUNT(ACCOUNT(HOLDS_B)) - before;
  u64 part = shared ? share(amount, SHORT(custody + U_BPS), ALL, 0) : 0;
  authority_address(POOL);
  if (part) MOVE(HOLDS_B, MINT_B, PARTNER, AUTHORITY, part, 1);
  MOVE(HOLDS_B, MINT_B, RECIPIENT, AUTHORITY, amount - part, 1);
  return 0;
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *discriminator = take(8);
  REQUIRE(discriminator, INSTRUCTION_MISSING);
  switch (WORD(discriminator)) {
    case DISCRIMINATOR(0xc9fb03421e0db0bcULL): return open_custody();
    case DISCRIMINATOR(0x69cd3f6dcc78199dULL): return lock_position();
    case DISCRIMINATOR(0x866e5a9be99dd553ULL): return collect();
  }
  return UNKNOWN_INSTRUCTION;
}
