/*
 * Stand-in for Meteora's DAMM v2: customizable pools, positions as NFTs, liquidity that can be locked permanently, swaps
 * in one price range, and position fees. Accounts, addresses and arithmetic are the original's. Not
 * implemented: volatility fees, the rate limiter, compounding, exact-output swaps, rewards, vesting, and the events.
 */
#include "wide.h"

#define POOL 0xf19a6d0411b16dbcULL
#define POOL_BYTES 1112
#define POSITION 0xaabc8fe47a40f7d0ULL
#define POSITION_BYTES 408
#define FEE_DENOMINATOR 1000000000ULL
#define LEAST_FEE 100000ULL
#define MAX_FEE 990000000ULL
#define PROTOCOL_PERCENT 20
#define REFERRAL_PERCENT 20

enum {
  MATH_OVERFLOW = 6000,
  INVALID_FEE = 6001,
  EXCEEDS_FEE = 6004,
  EXCEEDED_SLIPPAGE = 6002,
  POOL_DISABLED = 6003,
  AMOUNT_IS_ZERO = 6006,
  INVALID_ACTIVATION_TYPE = 6010,
  INVALID_ACTIVATION_POINT = 6011,
  INVALID_PRICE_RANGE = 6014,
  PRICE_RANGE_VIOLATION = 6015,
  INVALID_PARAMETERS = 6016,
  INVALID_COLLECT_FEE_MODE = 6017,
  INVALID_MINIMUM_LIQUIDITY = 6021,
  INSUFFICIENT_LIQUIDITY = 6023,
  INVALID_BASE_FEE_MODE = 6047,
  UNDETERMINED = 6051,
};

/* Fields of a pool, by offset. */
#define P_FEES 8
#define P_PROTOCOL_PERCENT 48
#define P_REFERRAL_PERCENT 50
#define P_FIRST_PRICE 152
#define P_MINT 168  /* token A; B's fields follow */
#define P_VAULT 232
#define P_LIQUIDITY 360
#define P_PROTOCOL_FEE 392
#define P_MIN_PRICE 424
#define P_MAX_PRICE 440
#define P_PRICE 456
#define P_ACTIVATION 472
#define P_ACTIVATION_TYPE 480
#define P_FLAG 482
#define P_COLLECT_MODE 484
#define P_TYPE 485
#define P_FEE_VERSION 486
#define P_FEE_PER_LIQUIDITY 488
#define P_LOCKED 552
#define P_TOTAL_FEE 568
#define P_TOTAL_PROTOCOL 600
#define P_POSITIONS 632
#define P_CREATOR 648
#define P_AMOUNT 680
#define P_LAYOUT 696
/* Fields of a position. */
#define N_POOL 8
#define N_MINT 40
#define N_CHECKPOINT 72
#define N_PENDING 136
#define N_UNLOCKED 152
#define N_VESTED 168
#define N_LOCKED 184
#define N_CLAIMED 200

#define WIDE(data, field) ((u64 *)((data) + (field)))

static const u8 *pool_authority(void) {
  seeds_begin();
  SEED_TEXT("pool_authority");
  return derive_own();
}
#define CHECK_AUTHORITY(index) REQUIRE(is(index, pool_authority()), WRONG_ADDRESS)

static u64 check_pool(u64 index) { return check_account(index, S->program, POOL, POOL_BYTES); }

/* A position of the pool whose NFT is in a token account of the signer. */
static u64 check_position(u64 pool, u64 position, u64 nft, u64 owner) {
  TRY(check_pool(pool));
  TRY(check_account(position, S->program, POSITION, POSITION_BYTES));
  const u8 *data = ACCOUNT(position)->data;
  REQUIRE(is(pool, data + N_POOL), WRONG_RELATION);
  const Account *account = ACCOUNT(nft);
  REQUIRE(same(account->owner, TOKEN_2022_PROGRAM) && size(account) >= 165, WRONG_OWNER);
  REQUIRE(same(TOKEN_MINT(account), data + N_MINT), WRONG_MINT);
  REQUIRE(is(owner, TOKEN_OWNER(account)), WRONG_TOKEN_OWNER);
  REQUIRE(TOKEN_AMOUNT(account) == 1, NOT_THE_CONSTRAINT);
  return 0;
}

/* Six consecutive accounts of both sides: the user's, or the mints, and the pool's vaults. */
static u64 check_sides(u64 pool_at, u64 vaults, u64 mints, u64 programs) {
  u8 *pool = ACCOUNT(pool_at)->data;
  for (u64 i = 0; i < 2; i++) {
    REQUIRE(is(vaults + i, pool + P_VAULT + 32 * i), WRONG_RELATION);
    REQUIRE(is(mints + i, pool + P_MINT + 32 * i), WRONG_RELATION);
    REQUIRE(is(programs + i, ACCOUNT(mints + i)->owner), WRONG_PROGRAM);
  }
  return 0;
}

/* ---- positions ---- */

#define NFT_MINT_BYTES 270 /* with the metadata pointer and the close authority */
#define NFT_NAME_BYTES 195

static const char NFT_NAME[] = "Meteora Position NFT";
static const char NFT_SYMBOL[] = "MPN";
static const char NFT_LINK[] =
    "https://raw.githubusercontent.com/MeteoraAg/token-metadata/main/meteora_position_nft.png";
#define CALL_TEXT(text) (call_number(sizeof(text) - 1, 4), call_bytes((const u8 *)(text), sizeof(text) - 1))

/* Creates the NFT: one token of a new Token-2022 mint, with a name; only the pool can freeze it. */
static u64 make_nft(u64 payer, u64 mint, u64 account, u64 owner, u64 pool, u64 authority) {
  TRY(make_account(payer, mint, NFT_MINT_BYTES, TOKEN_2022_PROGRAM, 0));
  TRY(pay(payer, mint, rent(NFT_MINT_BYTES + NFT_NAME_BYTES) - rent(NFT_MINT_BYTES)));
  const u8 *signer = ACCOUNT(authority)->key;
  CALL(TOKEN_2022_PROGRAM, "w", mint);
  call_number(39, 2); /* InitializeMetadataPointer */
  call_bytes(signer, 32);
  call_bytes(ACCOUNT(mint)->key, 32);
  TRY(call_run(0));
  CALL(TOKEN_2022_PROGRAM, "w", mint);
  call_number(25, 1); /* InitializeMintCloseAuthority */
  call_number(1, 1);
  call_bytes(signer, 32);
  TRY(call_run(0));
  CALL(TOKEN_2022_PROGRAM, "w", mint);
  call_number(20, 1); /* InitializeMint2 */
  call_number(0, 1);
  call_bytes(signer, 32);
  call_number(1, 1);
  call_bytes(ACCOUNT(pool)->key, 32);
  TRY(call_run(0));
  pool_authority();
  CALL(TOKEN_2022_PROGRAM, "wrrs", mint, authority, mint, authority);
  call_number(DISCRIMINATOR(0xd2e11ea258b84d8dULL), 8); /* of the token metadata interface: Initialize */
  CALL_TEXT(NFT_NAME);
  CALL_TEXT(NFT_SYMBOL);
  CALL_TEXT(NFT_LINK);
  TRY(call_run(1));
  seeds_begin();
  SEED_TEXT("position_nft_account");
  SEED_KEY(ACCOUNT(mint)->key);
  REQUIRE(is(account, derive_own()), WRONG_SEEDS);
  TRY(make_account(payer, account, 165, TOKEN_2022_PROGRAM, 1));
  CALL(TOKEN_2022_PROGRAM, "wr", account, mint);
  call_number(18, 1); /* InitializeAccount3 */
  call_bytes(ACCOUNT(owner)->key, 32);
  TRY(call_run(0));
  pool_authority();
  CALL(TOKEN_2022_PROGRAM, "wws", mint, account, authority);
  call_number(7, 1); /* MintTo */
  call_number(1, 8);
  return call_run(1);
}

static u64 make_position(u64 payer, u64 position, u64 mint, u64 pool) {
  seeds_begin();
  SEED_TEXT("position");
  SEED_KEY(ACCOUNT(mint)->key);
  TRY(make_own(payer, position, POSITION_BYTES, POSITION));
  u8 *data = ACCOUNT(position)->data;
  copy_key(data + N_POOL, ACCOUNT(pool)->key);
  copy_key(data + N_MINT, ACCOUNT(mint)->key);
  WORD(ACCOUNT(pool)->data + P_POSITIONS) += 1;
  return 0;
}

static u64 create_position(void) {
  enum { OWNER, MINT, NFT, POOL_AT, POSITION_AT, AUTHORITY, PAYER, PROGRAM, SYSTEM };
  TRY(expect("rWwwwrWrr"));
  CHECK_AUTHORITY(AUTHORITY);
  TRY(check_pool(POOL_AT));
  REQUIRE(is(PROGRAM, TOKEN_2022_PROGRAM) && is(SYSTEM, SYSTEM_PROGRAM), WRONG_PROGRAM);
  TRY(make_nft(PAYER, MINT, NFT, OWNER, POOL_AT, AUTHORITY));
  return make_position(PAYER, POSITION_AT, MINT, POOL_AT);
}

/* Updates a position's accrued fees. */
static void settle(u8 *position, const u8 *pool) {
  u64 liquidity[2], step[2], product[4];
  add(liquidity, WIDE(position, N_UNLOCKED), WIDE(position, N_LOCKED));
  add(liquidity, liquidity, WIDE(position, N_VESTED));
  for (u64 i = 0; i < 2; i++) {
    u64 *checkpoint = WIDE(position, N_CHECKPOINT + 32 * i);
    subtract(step, WIDE(pool, P_FEE_PER_LIQUIDITY + 32 * i), checkpoint);
    multiply(product, liquidity, step);
    WORD(position + N_PENDING + 8 * i) += product[2];
    set(checkpoint, WIDE(pool, P_FEE_PER_LIQUIDITY + 32 * i));
  }
}

/* Returns both amounts of a liquidity at the pool's price. */
static u64 amounts_of(u64 *amounts, const u8 *pool, const u64 *liquidity, int up) {
  const u64 *price = WIDE(pool, P_PRICE);
  REQUIRE(!base_between(&amounts[0], price, WIDE(pool, P_MAX_PRICE), liquidity, up), MATH_OVERFLOW);
  REQUIRE(!quote_between(&amounts[1], WIDE(pool, P_MIN_PRICE), price, liquidity, up), MATH_OVERFLOW);
  return 0;
}

/* ---- pools ---- */

static u64 initialize_pool(void) {
  enum { CREATOR, MINT, NFT, PAYER, AUTHORITY, POOL_AT, POSITION_AT, MINT_A, MINT_B, VAULT_A, VAULT_B, FROM_A, FROM_B,
         PROGRAM_A, PROGRAM_B, TOKEN_2022, SYSTEM };
  TRY(expect("rWwWrwwrrwwwwrrrr"));
  CHECK_AUTHORITY(AUTHORITY);
  TAKE(base_fee, 27);
  TAKE(compounding, 3);
  TAKE(has_dynamic, 1);
  if (*has_dynamic || SHORT(compounding)) {
    LOG("Program log: this stand-in charges no fee that follows volatility or compounds");
    return INVALID_FEE;
  }
  TAKE(range, 32);
  TAKE(has_alpha, 1);
  TAKE(liquidity_bytes, 16);
  TAKE(price_bytes, 16);
  TAKE(modes, 2);
  TAKE(has_point, 1);
  const u8 *point = 0;
  if (*has_point) { point = take(8); REQUIRE(point, DATA_DOES_NOT_FIT); }
  REQUIRE(!*has_alpha, INVALID_PARAMETERS);
  REQUIRE(modes[0] <= 1, INVALID_ACTIVATION_TYPE);
  REQUIRE(modes[1] <= 1, INVALID_COLLECT_FEE_MODE);
  REQUIRE(WORD(base_fee) < FEE_DENOMINATOR, INVALID_FEE);
  REQUIRE(base_fee[26] <= 1, INVALID_BASE_FEE_MODE);
  REQUIRE(WORD(base_fee) >= LEAST_FEE && WORD(base_fee) <= MAX_FEE, EXCEEDS_FEE);
  const u64 *lower = (u64 *)range, *upper = (u64 *)(range + 16);
  const u64 *liquidity = (u64 *)liquidity_bytes, *price = (u64 *)price_bytes;
  REQUIRE(!less(lower, MIN_PRICE) && !less(MAX_PRICE, upper) && less(lower, upper), INVALID_PRICE_RANGE);
  REQUIRE(!less(price, lower) && !less(upper, price), INVALID_PRICE_RANGE);
  REQUIRE(liquidity[0] | liquidity[1], INVALID_MINIMUM_LIQUIDITY);
  REQUIRE(!is(MINT_A, ACCOUNT(MINT_B)->key), NOT_THE_CONSTRAINT);
  for (u64 i = 0; i < 2; i++) REQUIRE(is(PROGRAM_A + i, ACCOUNT(MINT_A + i)->owner), WRONG_PROGRAM);
  REQUIRE(is(TOKEN_2022, TOKEN_2022_PROGRAM) && is(SYSTEM, SYSTEM_PROGRAM), WRONG_PROGRAM);

  const u8 *a = ACCOUNT(MINT_A)->key, *b = ACCOUNT(MINT_B)->key;
  TRY(make_nft(PAYER, MINT, NFT, CREATOR, POOL_AT, AUTHORITY));
  seeds_begin();
  SEED_TEXT("cpool");
  SEED_KEY(behind(a, b) ? a : b);
  SEED_KEY(behind(a, b) ? b : a);
  TRY(make_own(PAYER, POOL_AT, POOL_BYTES, POOL));
  TRY(make_position(PAYER, POSITION_AT, MINT, POOL_AT));
  u8 *pool = ACCOUNT(POOL_AT)->data;
  u64 started = now(modes[0]);
  WORD(pool + P_FEES) = WORD(base_fee);
  pool[P_FEES + 8] = base_fee[26];
  SHORT(pool + P_FEES + 14) = SHORT(base_fee + 8);
  copy(pool + P_FEES + 16, base_fee + 10, 16);
  pool[P_PROTOCOL_PERCENT] = PROTOCOL_PERCENT;
  pool[P_REFERRAL_PERCENT] = REFERRAL_PERCENT;
  set(WIDE(pool, P_FIRST_PRICE), price);
  set(WIDE(pool, P_LIQUIDITY), liquidity);
  set(WIDE(pool, P_MIN_PRICE), lower);
  set(WIDE(pool, P_MAX_PRICE), upper);
  set(WIDE(pool, P_PRICE), price);
  if (point) REQUIRE(WORD(point) >= started, INVALID_ACTIVATION_POINT);
  WORD(pool + P_ACTIVATION) = point ? WORD(point) : started;
  pool[P_ACTIVATION_TYPE] = modes[0];
  pool[P_COLLECT_MODE] = modes[1];
  pool[P_TYPE] = pool[P_FEE_VERSION] = pool[P_LAYOUT] = 1;
  copy_key(pool + P_CREATOR, ACCOUNT(CREATOR)->key);
  set(WIDE(ACCOUNT(POSITION_AT)->data, N_UNLOCKED), liquidity);
  TRY(amounts_of(WIDE(pool, P_AMOUNT), pool, liquidity, 1));
  for (u64 i = 0; i < 2; i++) {
    copy_key(pool + P_MINT + 32 * i, ACCOUNT(MINT_A + i)->key);
    copy_key(pool + P_VAULT + 32 * i, ACCOUNT(VAULT_A + i)->key);
    pool[P_FLAG + i] = is(PROGRAM_A + i, TOKEN_2022_PROGRAM);
    seeds_begin();
    SEED_TEXT("token_vault");
    SEED_KEY(ACCOUNT(MINT_A + i)->key);
    SEED_KEY(ACCOUNT(POOL_AT)->key);
    const u8 *authority = ACCOUNT(AUTHORITY)->key;
    TRY(make_vault(PAYER, VAULT_A + i, MINT_A + i, authority, ACCOUNT(PROGRAM_A + i)->key));
    /* The first deposit is at least one unit of each token, even if the liquidity rounds to zero. */
    u64 amount = WORD(pool + P_AMOUNT + 8 * i);
    MOVE(FROM_A + i, MINT_A + i, VAULT_A + i, PAYER, amount ? amount : 1, 0);
  }
  return 0;
}

static u64 add_liquidity(void) {
  enum { POOL_AT, POSITION_AT, FROM_A, FROM_B, VAULT_A, VAULT_B, MINT_A, MINT_B, NFT, OWNER, PROGRAM_A };
  TRY(expect("wwwwwwrrrsrr"));
  TRY(check_position(POOL_AT, POSITION_AT, NFT, OWNER));
  TRY(check_sides(POOL_AT, VAULT_A, MINT_A, PROGRAM_A));
  TAKE(arguments, 32);
  u8 *pool = ACCOUNT(POOL_AT)->data, *position = ACCOUNT(POSITION_AT)->data;
  const u64 *liquidity = (u64 *)arguments;
  u64 amounts[2];
  REQUIRE(liquidity[0] | liquidity[1], INVALID_PARAMETERS);
  settle(position, pool);
  TRY(amounts_of(amounts, pool, liquidity, 1));
  REQUIRE(amounts[0] | amounts[1], AMOUNT_IS_ZERO);
  for (u64 i = 0; i < 2; i++) {
    REQUIRE(amounts[i] <= WORD(arguments + 16 + 8 * i), EXCEEDED_SLIPPAGE);
    WORD(pool + P_AMOUNT + 8 * i) += amounts[i];
    MOVE(FROM_A + i, MINT_A + i, VAULT_A + i, OWNER, amounts[i], 0);
  }
  REQUIRE(!add(WIDE(pool, P_LIQUIDITY), WIDE(pool, P_LIQUIDITY), liquidity), MATH_OVERFLOW);
  add(WIDE(position, N_UNLOCKED), WIDE(position, N_UNLOCKED), liquidity);
  return 0;
}

static u64 remove_liquidity(void) {
  enum { AUTHORITY, POOL_AT, POSITION_AT, TO_A, TO_B, VAULT_A, VAULT_B, MINT_A, MINT_B, NFT, OWNER, PROGRAM_A };
  TRY(expect("rwwwwwwrrrsrr"));
  CHECK_AUTHORITY(AUTHORITY);
  TRY(check_position(POOL_AT, POSITION_AT, NFT, OWNER));
  TRY(check_sides(POOL_AT, VAULT_A, MINT_A, PROGRAM_A));
  TAKE(arguments, 32);
  u8 *pool = ACCOUNT(POOL_AT)->data, *position = ACCOUNT(POSITION_AT)->data;
  const u64 *liquidity = (u64 *)arguments;
  u64 amounts[2];
  REQUIRE(liquidity[0] | liquidity[1], INVALID_PARAMETERS);
  REQUIRE(!less(WIDE(position, N_UNLOCKED), liquidity), INSUFFICIENT_LIQUIDITY);
  settle(position, pool);
  TRY(amounts_of(amounts, pool, liquidity, 0));
  subtract(WIDE(pool, P_LIQUIDITY), WIDE(pool, P_LIQUIDITY), liquidity);
  subtract(WIDE(position, N_UNLOCKED), WIDE(position, N_UNLOCKED), liquidity);
  pool_authority();
  for (u64 i = 0; i < 2; i++) {
    REQUIRE(amounts[i] >= WORD(arguments + 16 + 8 * i), EXCEEDED_SLIPPAGE);
    TRY(check_token(TO_A + i, ACCOUNT(MINT_A + i)->key));
    WORD(pool + P_AMOUNT + 8 * i) -= amounts[i];
    MOVE(VAULT_A + i, MINT_A + i, TO_A + i, AUTHORITY, amounts[i], 1);
  }
  return 0;
}

static u64 lock_position(void) {
  TRY(expect("wwrs"));
  TRY(check_position(0, 1, 2, 3));
  TAKE(arguments, 16);
  u8 *pool = ACCOUNT(0)->data, *position = ACCOUNT(1)->data;
  const u64 *liquidity = (u64 *)arguments;
  REQUIRE(!less(WIDE(position, N_UNLOCKED), liquidity), INSUFFICIENT_LIQUIDITY);
  subtract(WIDE(position, N_UNLOCKED), WIDE(position, N_UNLOCKED), liquidity);
  add(WIDE(position, N_LOCKED), WIDE(position, N_LOCKED), liquidity);
  add(WIDE(pool, P_LOCKED), WIDE(pool, P_LOCKED), liquidity);
  return 0;
}

static u64 claim_position_fee(void) {
  enum { AUTHORITY, POOL_AT, POSITION_AT, TO_A, TO_B, VAULT_A, VAULT_B, MINT_A, MINT_B, NFT, OWNER, PROGRAM_A };
  TRY(expect("rrwwwwwrrrsrr"));
  CHECK_AUTHORITY(AUTHORITY);
  TRY(check_position(POOL_AT, POSITION_AT, NFT, OWNER));
  TRY(check_sides(POOL_AT, VAULT_A, MINT_A, PROGRAM_A));
  u8 *position = ACCOUNT(POSITION_AT)->data;
  settle(position, ACCOUNT(POOL_AT)->data);
  pool_authority();
  for (u64 i = 0; i < 2; i++) {
    u64 *pending = &WORD(position + N_PENDING + 8 * i), amount = *pending;
    TRY(check_token(TO_A + i, ACCOUNT(MINT_A + i)->key));
    *pending = 0;
    WORD(position + N_CLAIMED + 8 * i) += amount;
    MOVE(VAULT_A + i, MINT_A + i, TO_A + i, AUTHORITY, amount, 1);
  }
  return 0;
}

/* ---- swaps ---- */

/* Returns the current fee in parts per 1,000,000,000; it may decrease in steps after the start. */
static u64 fee_numerator(const u8 *pool) {
  const u8 *fees = pool + P_FEES;
  u64 fee = WORD(fees), steps = SHORT(fees + 14), frequency = WORD(fees + 16), reduction = WORD(fees + 24);
  if (frequency == 0 || steps == 0) return fee;
  u64 passed = (now(pool[P_ACTIVATION_TYPE]) - WORD(pool + P_ACTIVATION)) / frequency;
  if (passed < steps) steps = passed;
  return fees[8] == 0 ? fee - steps * reduction : decay(fee, reduction, steps);
}

/* Divides a fee in token `side` among the protocol (a fifth), a referrer (a fifth of that) and the positions. */
static u64 divide_fee(u8 *pool, u64 side, u64 fee, int referred) {
  u64 protocol = share(fee, pool[P_PROTOCOL_PERCENT], 100, 0), earned = fee - protocol;
  u64 referral = referred ? share(protocol, pool[P_REFERRAL_PERCENT], 100, 0) : 0;
  u64 wide[4] = {0, 0, earned, 0}, total[2] = {earned, 0}, step[2];
  protocol -= referral;
  WORD(pool + P_PROTOCOL_FEE + 8 * side) += protocol;
  WORD(pool + P_TOTAL_PROTOCOL + 8 * side) += protocol;
  add(WIDE(pool, P_TOTAL_FEE + 16 * side), WIDE(pool, P_TOTAL_FEE + 16 * side), total);
  u64 *per_liquidity = WIDE(pool, P_FEE_PER_LIQUIDITY + 32 * side);
  divide(step, wide, WIDE(pool, P_LIQUIDITY), 0);
  add(per_liquidity, per_liquidity, step);
  return referral;
}

/* Moves the price by an input of token `in` and returns the output. */
static u64 trade(u64 *out, u8 *pool, u64 in, u64 amount) {
  u64 *price = WIDE(pool, P_PRICE), next[2];
  const u64 *liquidity = WIDE(pool, P_LIQUIDITY);
  if (in == 0) {
    REQUIRE(!price_after_base(next, price, liquidity, amount), MATH_OVERFLOW);
    REQUIRE(!less(next, WIDE(pool, P_MIN_PRICE)), PRICE_RANGE_VIOLATION);
    REQUIRE(!quote_between(out, next, price, liquidity, 0), MATH_OVERFLOW);
  } else {
    REQUIRE(!price_after_quote(next, price, liquidity, amount), MATH_OVERFLOW);
    REQUIRE(!less(WIDE(pool, P_MAX_PRICE), next), PRICE_RANGE_VIOLATION);
    REQUIRE(!base_between(out, price, next, liquidity, 0), MATH_OVERFLOW);
  }
  set(price, next);
  return 0;
}

static u64 swap_of(u64 amount, u64 least) {
  enum { AUTHORITY, POOL_AT, INPUT, OUTPUT, VAULT_A, VAULT_B, MINT_A, MINT_B, PAYER, PROGRAM_A, PROGRAM_B, REFERRAL };
  TRY(expect("rwwwwwrrsrrp"));
  CHECK_AUTHORITY(AUTHORITY);
  TRY(check_pool(POOL_AT));
  TRY(check_sides(POOL_AT, VAULT_A, MINT_A, PROGRAM_A));
  u8 *pool = ACCOUNT(POOL_AT)->data;
  REQUIRE(amount > 0, AMOUNT_IS_ZERO);
  REQUIRE(now(pool[P_ACTIVATION_TYPE]) >= WORD(pool + P_ACTIVATION), POOL_DISABLED);
  /* The input token determines the direction. */
  u64 in = same(TOKEN_MINT(ACCOUNT(INPUT)), ACCOUNT(MINT_A)->key) ? 0 : 1, from = 1 - in;
  TRY(check_token(INPUT, ACCOUNT(MINT_A + in)->key));
  TRY(check_token(OUTPUT, ACCOUNT(MINT_A + from)->key));
  /* Count the received amounts: the token may charge a transfer fee in either direction. */
  u64 before = TOKEN_AMOUNT(ACCOUNT(VAULT_A + in)), out;
  MOVE(INPUT, MINT_A + in, VAULT_A + in, PAYER, amount, 0);
  u64 arrived = TOKEN_AMOUNT(ACCOUNT(VAULT_A + in)) - before, numerator = fee_numerator(pool), fee;
  int fee_on_input = pool[P_COLLECT_MODE] == 1 && in == 1;
  if (fee_on_input) {
    fee = share(arrived, numerator, FEE_DENOMINATOR, 1);
    arrived -= fee;
    TRY(trade(&out, pool, in, arrived));
  } else {
    TRY(trade(&out, pool, in, arrived));
    fee = share(out, numerator, FEE_DENOMINATOR, 1);
  }
  WORD(pool + P_AMOUNT + 8 * in) += arrived;
  WORD(pool + P_AMOUNT + 8 * from) -= out;
  if (!fee_on_input) out -= fee;
  u64 side = fee_on_input ? in : from, referral = divide_fee(pool, side, fee, !absent(REFERRAL));
  before = TOKEN_AMOUNT(ACCOUNT(OUTPUT));
  pool_authority();
  MOVE(VAULT_A + from, MINT_A + from, OUTPUT, AUTHORITY, out, 1);
  REQUIRE(TOKEN_AMOUNT(ACCOUNT(OUTPUT)) - before >= least, EXCEEDED_SLIPPAGE);
  if (referral) MOVE(VAULT_A + side, MINT_A + side, REFERRAL, AUTHORITY, referral, 1);
  return 0;
}

static u64 swap(void) {
  TAKE(amounts, 16);
  return swap_of(WORD(amounts), WORD(amounts + 8));
}

static u64 swap2(void) {
  TAKE(amounts, 17);
  if (amounts[16] != 0) {
    LOG("Program log: this stand-in takes exact inputs only");
    return UNDETERMINED;
  }
  return swap_of(WORD(amounts), WORD(amounts + 8));
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *discriminator = take(8);
  REQUIRE(discriminator, INSTRUCTION_MISSING);
  switch (WORD(discriminator)) {
    case DISCRIMINATOR(0x14a1f118bdddb402ULL): return initialize_pool();
    case DISCRIMINATOR(0x30d7c59960cbb485ULL): return create_position();
    case DISCRIMINATOR(0xb59d59438fb63448ULL): return add_liquidity();
    case DISCRIMINATOR(0x5055d14818ceb16cULL): return remove_liquidity();
    case DISCRIMINATOR(0xa5b07d06e7abbad5ULL): return lock_position();
    case DISCRIMINATOR(0xb4269a118521a2d3ULL): return claim_position_fee();
    case DISCRIMINATOR(0xf8c69e91e17587c8ULL): return swap();
    case DISCRIMINATOR(0x414b3f4ceb5b5b88ULL): return swap2();
  }
  return UNKNOWN_INSTRUCTION;
}
