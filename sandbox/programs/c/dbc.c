/*
 * Stand-in for Meteora's dynamic bonding curve: configs, pools that mint their token, swaps along the curve, and the
 * fees of partner and creator. Accounts, addresses and the curve's arithmetic are the original's. Not implemented:
 * volatility fees, the rate limiter, exact-output swaps, Token-2022 launches, migration, and the events.
 */
#include "wide.h"

#define CONFIG 0x1a6c0e7b74e6812bULL
#define CONFIG_BYTES 1048
#define POOL 0xd5e005d16245775cULL
#define POOL_BYTES 424
#define MAX_POINTS 20
#define FEE_DENOMINATOR 1000000000ULL
#define LEAST_FEE 2500000ULL
#define MAX_FEE 990000000ULL
#define CHOSEN_FEE 6 /* the pool after the curve charges the config's fee */
#define PROTOCOL_PERCENT 20
#define REFERRAL_PERCENT 20
#define PROTOCOL_MIGRATION_BPS 20

enum {
  EXCEEDED_SLIPPAGE = 6002,
  INVALID_FEE = 6001,
  EXCEEDS_FEE = 6003,
  AMOUNT_IS_ZERO = 6005,
  TYPE_CAST_FAILED = 6006,
  INVALID_COLLECT_FEE_MODE = 6009,
  INVALID_MIGRATION_FEE_OPTION = 6010,
  NOT_ENOUGH_LIQUIDITY = 6012,
  POOL_IS_COMPLETED = 6013,
  INVALID_MIGRATION_OPTION = 6015,
  INVALID_DECIMALS = 6016,
  INVALID_TOKEN_TYPE = 6017,
  INVALID_FEE_PERCENTAGE = 6018,
  INVALID_QUOTE_THRESHOLD = 6019,
  INVALID_TOKEN_SUPPLY = 6020,
  INVALID_CURVE = 6021,
  INVALID_VESTING = 6031,
  INSUFFICIENT_LIQUIDITY = 6033,
  INVALID_CREATOR_PERCENTAGE = 6035,
  INVALID_NEW_CREATOR = 6036,
  INVALID_AUTHORITY_OPTION = 6037,
  INVALID_BASE_FEE_MODE = 6041,
  INVALID_MIGRATED_FEE = 6044,
  UNDETERMINED = 6045,
  UNAUTHORIZED = 6053,
  MATH_OVERFLOW = 6000,
};

/* Fields of a config, by offset. */
#define C_QUOTE_MINT 8
#define C_FEE_CLAIMER 40
#define C_LEFTOVER 72
#define C_FEES 104
#define C_PARTNER_VESTING 184
#define C_CREATOR_VESTING 200
#define C_COLLECT_MODE 232
#define C_ACTIVATION 234
#define C_DECIMALS 235
#define C_TOKEN_TYPE 237
#define C_FIXED_SUPPLY 244
#define C_CREATOR_PERCENT 245
#define C_UPDATE_AUTHORITY 246
#define C_SWAP_BASE 256
#define C_THRESHOLD 264
#define C_MIGRATION_BASE 272
#define C_MIGRATION_PRICE 280
#define C_VESTING 296
#define C_SUPPLY 344
#define C_SUPPLY_AFTER 352
#define C_FIRST_MIN_FEE 365
#define C_CREATION_FEE 368
#define C_START_PRICE 392
#define C_CURVE 408

/* Fields of a pool. */
#define P_CONFIG 72
#define P_CREATOR 104
#define P_BASE_MINT 136
#define P_BASE_VAULT 168
#define P_QUOTE_VAULT 200
#define P_BASE_RESERVE 232
#define P_QUOTE_RESERVE 240
#define P_PROTOCOL_BASE 248
#define P_PROTOCOL_QUOTE 256
#define P_PARTNER_BASE 264
#define P_PARTNER_QUOTE 272
#define P_PRICE 280
#define P_ACTIVATION 296
#define P_PROGRESS 308
#define P_TOTAL_PROTOCOL_BASE 312
#define P_TOTAL_PROTOCOL_QUOTE 320
#define P_TOTAL_BASE 328
#define P_TOTAL_QUOTE 336
#define P_FINISHED 344
#define P_CREATOR_BASE 352
#define P_CREATOR_QUOTE 360
#define P_HAS_SWAP 370
#define P_MIGRATION_FEE 376

/* Derives the address that owns every vault and mints every token; it can sign afterwards. */
static const u8 *pool_authority(void) {
  seeds_begin();
  SEED_TEXT("pool_authority");
  return derive_own();
}
#define CHECK_AUTHORITY(index) REQUIRE(is(index, pool_authority()), WRONG_ADDRESS)

/* Point `i` of the curve: its price and the liquidity below it. */
#define POINT(config, i) ((u64 *)((config) + C_CURVE + 32 * (i)))

/* ---- configs ---- */

/* Returns the tokens sold until the threshold is reached, and the final price. */
static u64 walk_to_threshold(u8 *config) {
  u64 price[2], left = WORD(config + C_THRESHOLD), sold = 0, most, base;
  set(price, (u64 *)(config + C_START_PRICE));
  for (u64 i = 0; i < MAX_POINTS; i++) {
    const u64 *point = POINT(config, i);
    if (!less(price, point)) break;
    REQUIRE(!quote_between(&most, price, point, point + 2, 1), MATH_OVERFLOW);
    u64 next[2];
    int here = left <= most;
    if (here) REQUIRE(!price_after_quote(next, price, point + 2, left), MATH_OVERFLOW);
    else set(next, point);
    REQUIRE(!base_between(&base, price, next, point + 2, 1), MATH_OVERFLOW);
    sold += base;
    set(price, next);
    if (!here) { left -= most; continue; }
    WORD(config + C_SWAP_BASE) = sold;
    set((u64 *)(config + C_MIGRATION_PRICE), price);
    return 0;
  }
  return NOT_ENOUGH_LIQUIDITY;
}

/* Returns the tokens that migrate with the threshold, less the migration fee, into a full-range pool. */
static u64 migration_base(u8 *config, u64 fee_percent) {
  u64 quote = share(WORD(config + C_THRESHOLD), 100 - fee_percent, 100, 1), step[2], wide[4] = {0, 0, quote, 0};
  u64 liquidity[2], base;
  const u64 *price = (u64 *)(config + C_MIGRATION_PRICE);
  subtract(step, price, MIN_PRICE);
  REQUIRE(!divide(liquidity, wide, step, 1), MATH_OVERFLOW);
  REQUIRE(!base_between(&base, price, MAX_PRICE, liquidity, 1), MATH_OVERFLOW);
  WORD(config + C_MIGRATION_BASE) = base;
  return 0;
}

static u64 create_config(void) {
  TRY(expect("WrrrWr"));
  REQUIRE(is(5, SYSTEM_PROGRAM), WRONG_PROGRAM);
  TAKE(base_fee, 27);
  TAKE(has_dynamic, 1);
  if (*has_dynamic) {
    LOG("Program log: this stand-in charges no fee that follows volatility");
    return INVALID_FEE;
  }
  TAKE(modes, 9);
  TAKE(threshold, 8);
  TAKE(start, 16);
  TAKE(vesting, 40);
  TAKE(fee_option, 1);
  TAKE(has_supply, 1);
  const u8 *supply = 0;
  if (*has_supply) { supply = take(16); REQUIRE(supply, DATA_DOES_NOT_FIT); }
  TAKE(rest, 8); /* creator's percentage, update authority, migration fee 2, migrated pool's fee 4 */
  TAKE(creation_fee, 8);
  TAKE(lock, 26);
  TAKE(base_mode, 1);
  TAKE(scheduler, 16);
  TAKE(first_min_fee, 1);
  TAKE(compounding, 4);
  TAKE(count, 4);
  u64 points = HALF(count);
  REQUIRE(points > 0 && points <= MAX_POINTS, INVALID_CURVE);
  TAKE(curve, 32 * points);

  REQUIRE(modes[0] <= 1, INVALID_COLLECT_FEE_MODE);
  REQUIRE(modes[1] == 1, INVALID_MIGRATION_OPTION);
  REQUIRE(modes[2] <= 1, TYPE_CAST_FAILED);
  REQUIRE(modes[3] == 0, INVALID_TOKEN_TYPE);
  REQUIRE(modes[4] >= 6 && modes[4] <= 9, INVALID_DECIMALS);
  REQUIRE(WORD(base_fee) < FEE_DENOMINATOR, INVALID_FEE);
  REQUIRE(base_fee[26] <= 1, INVALID_BASE_FEE_MODE);
  REQUIRE(WORD(base_fee) >= LEAST_FEE && WORD(base_fee) <= MAX_FEE, EXCEEDS_FEE);
  REQUIRE(*fee_option <= CHOSEN_FEE, INVALID_MIGRATION_FEE_OPTION);
  u16 later = SHORT(rest + 6);
  REQUIRE(*fee_option == CHOSEN_FEE ? later >= 10 && later <= 1000 : HALF(rest + 4) == 0, INVALID_MIGRATED_FEE);
  REQUIRE(rest[1] <= 4, INVALID_AUTHORITY_OPTION);
  REQUIRE(modes[5] + modes[6] + modes[7] + modes[8] == 100, INVALID_FEE_PERCENTAGE);
  REQUIRE(rest[0] <= 100, INVALID_CREATOR_PERCENTAGE);
  REQUIRE(WORD(threshold) > 0, INVALID_QUOTE_THRESHOLD);
  const u64 *vests = (const u64 *)vesting;
  if (vests[0] | vests[1] | vests[2] | vests[3] | vests[4])
    REQUIRE(vests[2] && (vests[4] || (vests[0] && vests[3])), INVALID_VESTING);
  for (u64 i = 0; i < points; i++) {
    const u64 *point = (u64 *)(curve + 32 * i), *below = i ? point - 4 : (u64 *)start;
    REQUIRE(less(below, point) && (point[2] | point[3]) && !less(MAX_PRICE, point), INVALID_CURVE);
  }
  TRY(make_account(4, 0, CONFIG_BYTES, S->program, 0));
  u8 *config = ACCOUNT(0)->data;
  WORD(config) = DISCRIMINATOR(CONFIG);
  copy_key(config + C_QUOTE_MINT, ACCOUNT(3)->key);
  copy_key(config + C_FEE_CLAIMER, ACCOUNT(1)->key);
  copy_key(config + C_LEFTOVER, ACCOUNT(2)->key);
  WORD(config + C_FEES) = WORD(base_fee);
  SHORT(config + C_FEES + 24) = SHORT(base_fee + 8);
  copy(config + C_FEES + 8, base_fee + 10, 16);
  config[C_FEES + 26] = base_fee[26];
  for (u64 i = 0; i < 2; i++) {
    const u8 *from = lock + 13 * i;
    u8 *to = config + C_PARTNER_VESTING + 16 * i;
    if (from[0] == 0) continue;
    to[0] = 1, to[1] = from[0];
    copy(to + 4, from + 1, 4);
    copy(to + 8, from + 9, 4);
    copy(to + 12, from + 5, 4);
  }
  /* collect fee, migration, activation, decimals, version 0, token type, quote's program */
  copy(config + C_COLLECT_MODE, modes, 3);
  config[C_DECIMALS] = modes[4];
  config[C_TOKEN_TYPE] = modes[3];
  config[C_TOKEN_TYPE + 1] = same(ACCOUNT(3)->owner, TOKEN_2022_PROGRAM);
  config[239] = modes[6], config[240] = modes[5], config[241] = modes[8], config[242] = modes[7];
  config[243] = *fee_option;
  config[C_FIXED_SUPPLY] = *has_supply;
  config[C_CREATOR_PERCENT] = rest[0];
  config[C_UPDATE_AUTHORITY] = rest[1];
  copy(config + 247, rest + 2, 2);
  WORD(config + C_THRESHOLD) = WORD(threshold);
  copy(config + C_VESTING, vesting, 40);
  copy(config + 360, rest + 4, 4);
  config[364] = *base_mode;
  config[C_FIRST_MIN_FEE] = *first_min_fee;
  copy(config + 366, compounding, 2);
  WORD(config + C_CREATION_FEE) = WORD(creation_fee);
  copy(config + 376, scheduler, 16);
  copy(config + C_START_PRICE, start, 16);
  copy(config + C_CURVE, curve, 32 * points);
  TRY(walk_to_threshold(config));
  TRY(migration_base(config, rest[2]));
  u64 locked = WORD(vesting + 32) + WORD(vesting) * WORD(vesting + 24);
  u64 spare = WORD(config + C_SWAP_BASE) / 4;
  u64 least = WORD(config + C_SWAP_BASE) + spare + WORD(config + C_MIGRATION_BASE) + locked;
  if (supply) {
    REQUIRE(WORD(supply) >= least - spare && WORD(supply + 8) <= WORD(supply), INVALID_TOKEN_SUPPLY);
    copy(config + C_SUPPLY, supply, 16);
  }
  return 0;
}

/* ---- pools ---- */

static u64 initial_supply(const u8 *config) {
  if (config[C_FIXED_SUPPLY]) return WORD(config + C_SUPPLY);
  const u8 *vesting = config + C_VESTING;
  u64 swapped = WORD(config + C_SWAP_BASE);
  return swapped + swapped / 4 + WORD(config + C_MIGRATION_BASE) + WORD(vesting + 32) +
         WORD(vesting) * WORD(vesting + 24);
}

static u64 vault(u64 index, u64 mint, u64 pool, u64 payer, const u8 *owner, const u8 *token_program) {
  seeds_begin();
  SEED_TEXT("token_vault");
  SEED_KEY(ACCOUNT(mint)->key);
  SEED_KEY(ACCOUNT(pool)->key);
  return make_vault(payer, index, mint, owner, token_program);
}

/* Derives the pool's address from the config and both mints, the larger first. */
static void pool_seeds(u64 config, u64 base_mint, u64 quote_mint) {
  const u8 *base = ACCOUNT(base_mint)->key, *quote = ACCOUNT(quote_mint)->key;
  seeds_begin();
  SEED_TEXT("pool");
  SEED_KEY(ACCOUNT(config)->key);
  SEED_KEY(behind(base, quote) ? base : quote);
  SEED_KEY(behind(base, quote) ? quote : base);
}

static u64 make_mint(u64 payer, u64 index, u8 decimals, const u8 *authority) {
  TRY(make_account(payer, index, 82, TOKEN_PROGRAM, 0));
  CALL(TOKEN_PROGRAM, "w", index);
  call_number(20, 1); /* InitializeMint2 */
  call_number(decimals, 1);
  call_bytes(authority, 32);
  call_number(0, 1);
  return call_run(0);
}

/* Sets the token's name through the metadata program; the pool authority signs as mint authority. */
static u64 name_token(const u8 *config, const u8 *texts, u64 bytes) {
  u8 option = config[C_UPDATE_AUTHORITY];
  REQUIRE(option != 2 && option != 4, INVALID_AUTHORITY_OPTION);
  u64 updater = option == 1 ? 13 : 2;
  CALL(METADATA_PROGRAM, option == 1 ? "wrsWrr" : "wrsWsr", 8, 3, 1, 10, updater, 13);
  call_number(33, 1);
  call_bytes(texts, bytes);
  call_number(0, 5); /* no royalty, creators, collection or uses */
  call_number(option != 1, 1);
  call_number(0, 1);
  pool_authority();
  return call_run(1);
}

static u64 initialize_pool(void) {
  enum { CONFIG_AT, AUTHORITY, CREATOR, BASE, QUOTE, POOL_AT, BASE_VAULT, QUOTE_VAULT, METADATA, METADATA_AT, PAYER,
         QUOTE_PROGRAM, BASE_PROGRAM, SYSTEM };
  TRY(expect("rrsWrwwwwrWrrr"));
  CHECK_AUTHORITY(AUTHORITY);
  TRY(check_account(CONFIG_AT, S->program, CONFIG, CONFIG_BYTES));
  const u8 *config = ACCOUNT(CONFIG_AT)->data, *texts = S->data;
  for (u64 i = 0; i < 3; i++) {
    TAKE(length, 4);
    TAKE(text, HALF(length));
  }
  u64 text_bytes = S->data - texts;
  REQUIRE(text_bytes <= 900, DATA_DOES_NOT_FIT);
  REQUIRE(is(QUOTE, config + C_QUOTE_MINT), WRONG_RELATION);
  REQUIRE(is(METADATA_AT, METADATA_PROGRAM) && is(BASE_PROGRAM, TOKEN_PROGRAM), WRONG_ADDRESS);
  REQUIRE(is(QUOTE_PROGRAM, ACCOUNT(QUOTE)->owner), WRONG_PROGRAM);
  REQUIRE(is(SYSTEM, SYSTEM_PROGRAM), WRONG_PROGRAM);
  const u8 *authority = ACCOUNT(AUTHORITY)->key;
  TRY(make_mint(PAYER, BASE, config[C_DECIMALS], authority));
  pool_seeds(CONFIG_AT, BASE, QUOTE);
  TRY(make_own(PAYER, POOL_AT, POOL_BYTES, POOL));
  TRY(vault(BASE_VAULT, BASE, POOL_AT, PAYER, authority, TOKEN_PROGRAM));
  TRY(vault(QUOTE_VAULT, QUOTE, POOL_AT, PAYER, authority, ACCOUNT(QUOTE_PROGRAM)->key));
  if (WORD(config + C_CREATION_FEE)) TRY(pay(PAYER, POOL_AT, WORD(config + C_CREATION_FEE)));
  TRY(name_token(config, texts, text_bytes));

  u64 supply = initial_supply(config);
  pool_authority();
  CALL(TOKEN_PROGRAM, "wws", BASE, BASE_VAULT, AUTHORITY);
  call_number(7, 1); /* MintTo */
  call_number(supply, 8);
  TRY(call_run(1));
  CALL(TOKEN_PROGRAM, "ws", BASE, AUTHORITY);
  call_number(6, 1); /* SetAuthority: the mint authority becomes the creator, or none */
  call_number(0, 1);
  call_number(config[C_UPDATE_AUTHORITY] == 3, 1);
  if (config[C_UPDATE_AUTHORITY] == 3) call_bytes(ACCOUNT(CREATOR)->key, 32);
  TRY(call_run(1));

  u8 *pool = ACCOUNT(POOL_AT)->data;
  copy_key(pool + P_CONFIG, ACCOUNT(CONFIG_AT)->key);
  copy_key(pool + P_CREATOR, ACCOUNT(CREATOR)->key);
  copy_key(pool + P_BASE_MINT, ACCOUNT(BASE)->key);
  copy_key(pool + P_BASE_VAULT, ACCOUNT(BASE_VAULT)->key);
  copy_key(pool + P_QUOTE_VAULT, ACCOUNT(QUOTE_VAULT)->key);
  WORD(pool + P_BASE_RESERVE) = supply;
  set((u64 *)(pool + P_PRICE), (u64 *)(config + C_START_PRICE));
  WORD(pool + P_ACTIVATION) = now(config[C_ACTIVATION]);
  pool[P_MIGRATION_FEE] = PROTOCOL_MIGRATION_BPS;
  return 0;
}

/* ---- swaps ---- */

/* The effect of a swap on the pool. */
typedef struct {
  u8 *config, *pool;
  u64 price[2];
  u64 taken; /* input, including the fee */
  u64 in;    /* added to the reserve */
  u64 out;   /* output */
  u64 fee;
  int fee_in_base;
} Swap;
#define SWAP ((Swap *)OWN_STATE)

#define INSTRUCTIONS_AT 15 /* the instructions sysvar, if given */
#define INITIALIZE 0x8c55d7b06636684fULL

/* Returns whether this transaction created the pool, according to the instructions sysvar. */
static int made_here(u64 pool) {
  if (S->count <= INSTRUCTIONS_AT || !is(INSTRUCTIONS_AT, SYSVAR_INSTRUCTIONS)) return 0;
  const u8 *list = ACCOUNT(INSTRUCTIONS_AT)->data;
  u64 count = SHORT(list), here = SHORT(list + size(ACCOUNT(INSTRUCTIONS_AT)) - 2);
  for (u64 i = 0; i < count && i < here; i++) {
    const u8 *each = list + SHORT(list + 2 + 2 * i);
    u64 accounts = SHORT(each);
    const u8 *program = each + 2 + 33 * accounts;
    if (accounts < 6 || !same(program, S->program) || SHORT(program + 32) < 8) continue;
    if (WORD(program + 34) == DISCRIMINATOR(INITIALIZE) && is(pool, each + 2 + 33 * 5 + 1)) return 1;
  }
  return 0;
}

/* Returns the current fee in parts per 1,000,000,000; it may decrease in steps after the start. */
static u64 fee_numerator(const u8 *config, const u8 *pool, u64 pool_at) {
  const u8 *fees = config + C_FEES;
  u64 fee = WORD(fees), frequency = WORD(fees + 8), reduction = WORD(fees + 16), steps = SHORT(fees + 24);
  if (frequency == 0 || steps == 0 || fees[26] > 1) return fee;
  u64 passed = (now(config[C_ACTIVATION]) - WORD(pool + P_ACTIVATION)) / frequency;
  if (passed < steps && !(config[C_FIRST_MIN_FEE] && !pool[P_HAS_SWAP] && made_here(pool_at))) steps = passed;
  if (fees[26] == 0) return fee - steps * reduction;
  return decay(fee, reduction, steps);
}

/* Buys along the curve with quote tokens, up to the final price; the rest of the input is unused. */
static u64 walk_up(u64 *left) {
  const u64 *end = (u64 *)(SWAP->config + C_MIGRATION_PRICE);
  for (u64 i = 0; i < MAX_POINTS && *left && less(SWAP->price, end); i++) {
    const u64 *point = POINT(SWAP->config, i), *upper = less(point, end) ? point : end;
    u64 most, base, next[2];
    if (!less(SWAP->price, upper)) continue;
    REQUIRE(!quote_between(&most, SWAP->price, upper, point + 2, 1), MATH_OVERFLOW);
    u64 used = *left < most ? *left : most;
    if (*left < most) REQUIRE(!price_after_quote(next, SWAP->price, point + 2, *left), MATH_OVERFLOW);
    else set(next, upper);
    REQUIRE(!base_between(&base, SWAP->price, next, point + 2, 0), MATH_OVERFLOW);
    SWAP->out += base;
    *left -= used;
    set(SWAP->price, next);
  }
  return 0;
}

/* Sells along the curve with base tokens, down to the initial price. */
static u64 walk_down(u64 *left) {
  for (u64 i = MAX_POINTS; i-- > 0 && *left;) {
    const u64 *point = POINT(SWAP->config, i);
    const u64 *below = i ? POINT(SWAP->config, i - 1) : (u64 *)(SWAP->config + C_START_PRICE);
    u64 most, quote, next[2];
    if ((point[0] == 0 && point[1] == 0) || !less(below, SWAP->price)) continue;
    REQUIRE(!base_between(&most, below, SWAP->price, point + 2, 1), MATH_OVERFLOW);
    u64 used = *left < most ? *left : most;
    if (*left < most) REQUIRE(!price_after_base(next, SWAP->price, point + 2, *left), MATH_OVERFLOW);
    else set(next, below);
    REQUIRE(!quote_between(&quote, next, SWAP->price, point + 2, 0), MATH_OVERFLOW);
    SWAP->out += quote;
    *left -= used;
    set(SWAP->price, next);
  }
  return 0;
}

/* Prices a swap of `amount`; a partial fill takes only the amount that completes the curve. */
static u64 price_swap(u64 amount, int buy, int partial) {
  Swap *swap = SWAP;
  u64 numerator = fee_numerator(swap->config, swap->pool, 2), left;
  int fee_on_input = buy && swap->config[C_COLLECT_MODE] == 0;
  set(swap->price, (u64 *)(swap->pool + P_PRICE));
  swap->out = swap->fee = 0;
  swap->taken = amount;
  swap->fee_in_base = buy && !fee_on_input;
  if (fee_on_input) swap->fee = share(amount, numerator, FEE_DENOMINATOR, 1);
  swap->in = amount - swap->fee;
  left = swap->in;
  if (buy) TRY(walk_up(&left));
  else TRY(walk_down(&left));
  REQUIRE(left == 0 || (buy && partial), buy ? INSUFFICIENT_LIQUIDITY : NOT_ENOUGH_LIQUIDITY);
  if (left) {
    swap->in -= left;
    swap->taken = swap->in;
    if (fee_on_input) {
      swap->taken = share(swap->in, FEE_DENOMINATOR, FEE_DENOMINATOR - numerator, 1);
      swap->fee = swap->taken - swap->in;
    }
  }
  if (!fee_on_input) {
    swap->fee = share(swap->out, numerator, FEE_DENOMINATOR, 1);
    swap->out -= swap->fee;
  }
  return 0;
}

/* Divides the fee: a fifth to the protocol (a fifth of it to a referrer), the rest to creator and partner. */
static u64 divide_fee(int referred) {
  u8 *pool = SWAP->pool;
  u64 side = SWAP->fee_in_base ? 0 : 8;
  u64 protocol = share(SWAP->fee, PROTOCOL_PERCENT, 100, 0), trading = SWAP->fee - protocol;
  u64 referral = referred ? share(protocol, REFERRAL_PERCENT, 100, 0) : 0;
  u64 creator = share(trading, SWAP->config[C_CREATOR_PERCENT], 100, 0);
  protocol -= referral;
  WORD(pool + P_PROTOCOL_BASE + side) += protocol;
  WORD(pool + P_CREATOR_BASE + side) += creator;
  WORD(pool + P_PARTNER_BASE + side) += trading - creator;
  WORD(pool + P_TOTAL_PROTOCOL_BASE + side) += protocol;
  WORD(pool + P_TOTAL_BASE + side) += trading;
  return referral;
}

static u64 swap_of(u64 amount, u64 least, int partial) {
  enum { AUTHORITY, CONFIG_AT, POOL_AT, INPUT, OUTPUT, BASE_VAULT, QUOTE_VAULT, BASE, QUOTE, PAYER, BASE_PROGRAM,
         QUOTE_PROGRAM, REFERRAL };
  TRY(expect("rrwwwwwrrsrrp"));
  CHECK_AUTHORITY(AUTHORITY);
  TRY(check_account(CONFIG_AT, S->program, CONFIG, CONFIG_BYTES));
  TRY(check_account(POOL_AT, S->program, POOL, POOL_BYTES));
  u8 *config = ACCOUNT(CONFIG_AT)->data, *pool = ACCOUNT(POOL_AT)->data;
  REQUIRE(is(CONFIG_AT, pool + P_CONFIG) && is(BASE_VAULT, pool + P_BASE_VAULT), WRONG_RELATION);
  REQUIRE(is(QUOTE_VAULT, pool + P_QUOTE_VAULT) && is(BASE, pool + P_BASE_MINT), WRONG_RELATION);
  REQUIRE(is(QUOTE, config + C_QUOTE_MINT), WRONG_RELATION);
  REQUIRE(is(BASE_PROGRAM, ACCOUNT(BASE)->owner) && is(QUOTE_PROGRAM, ACCOUNT(QUOTE)->owner), WRONG_PROGRAM);
  REQUIRE(amount > 0, AMOUNT_IS_ZERO);
  REQUIRE(WORD(pool + P_QUOTE_RESERVE) < WORD(config + C_THRESHOLD), POOL_IS_COMPLETED);
  /* The input token determines the direction. */
  int buy = same(TOKEN_MINT(ACCOUNT(INPUT)), ACCOUNT(QUOTE)->key);
  u64 mint_in = buy ? QUOTE : BASE, mint_out = buy ? BASE : QUOTE;
  TRY(check_token(INPUT, ACCOUNT(mint_in)->key));
  TRY(check_token(OUTPUT, ACCOUNT(mint_out)->key));
  SWAP->config = config, SWAP->pool = pool;
  TRY(price_swap(amount, buy, partial));
  REQUIRE(SWAP->out >= least, EXCEEDED_SLIPPAGE);
  u64 referral = divide_fee(!absent(REFERRAL));
  /* A fee on the output leaves the reserve with it. */
  u64 leaves = SWAP->out + (buy && !SWAP->fee_in_base ? 0 : SWAP->fee);
  WORD(pool + (buy ? P_QUOTE_RESERVE : P_BASE_RESERVE)) += SWAP->in;
  WORD(pool + (buy ? P_BASE_RESERVE : P_QUOTE_RESERVE)) -= leaves;
  set((u64 *)(pool + P_PRICE), SWAP->price);
  pool[P_HAS_SWAP] = 1;
  if (WORD(pool + P_QUOTE_RESERVE) >= WORD(config + C_THRESHOLD)) {
    WORD(pool + P_FINISHED) = now(1);
    /* 1: tokens remain to be locked; 2: ready for migration. */
    const u8 *vesting = config + C_VESTING;
    pool[P_PROGRESS] = WORD(vesting + 32) || WORD(vesting) ? 1 : 2;
  }
  MOVE(INPUT, mint_in, buy ? QUOTE_VAULT : BASE_VAULT, PAYER, SWAP->taken, 0);
  pool_authority();
  MOVE(buy ? BASE_VAULT : QUOTE_VAULT, mint_out, OUTPUT, AUTHORITY, SWAP->out, 1);
  if (referral) {
    u64 base = SWAP->fee_in_base;
    MOVE(base ? BASE_VAULT : QUOTE_VAULT, base ? BASE : QUOTE, REFERRAL, AUTHORITY, referral, 1);
  }
  return 0;
}

static u64 swap(void) {
  TAKE(amounts, 16);
  return swap_of(WORD(amounts), WORD(amounts + 8), 0);
}

static u64 swap2(void) {
  TAKE(amounts, 17);
  if (amounts[16] > 1) {
    LOG("Program log: this stand-in takes exact inputs only");
    return UNDETERMINED;
  }
  return swap_of(WORD(amounts), WORD(amounts + 8), amounts[16]);
}

/* ---- fees ---- */

/* Pays accrued fees from both vaults, up to the requested amounts. `pool` is the index of the pool. */
static u64 pay_earned(u64 authority, u64 pool_at, u64 earned_base, u64 earned_quote) {
  const u64 to_base = pool_at + 1, to_quote = pool_at + 2, base_vault = pool_at + 3, quote_vault = pool_at + 4,
            base = pool_at + 5, quote = pool_at + 6;
  u8 *pool = ACCOUNT(pool_at)->data;
  TAKE(most, 16);
  REQUIRE(is(base_vault, pool + P_BASE_VAULT) && is(quote_vault, pool + P_QUOTE_VAULT), WRONG_RELATION);
  REQUIRE(is(base, pool + P_BASE_MINT), WRONG_RELATION);
  TRY(check_token(to_base, ACCOUNT(base)->key));
  TRY(check_token(to_quote, ACCOUNT(quote)->key));
  u64 from_base = WORD(pool + earned_base), from_quote = WORD(pool + earned_quote);
  if (from_base > WORD(most)) from_base = WORD(most);
  if (from_quote > WORD(most + 8)) from_quote = WORD(most + 8);
  WORD(pool + earned_base) -= from_base;
  WORD(pool + earned_quote) -= from_quote;
  pool_authority();
  MOVE(base_vault, base, to_base, authority, from_base, 1);
  MOVE(quote_vault, quote, to_quote, authority, from_quote, 1);
  return 0;
}

static u64 claim_trading_fee(void) {
  TRY(expect("rrwwwwwrrsrr"));
  CHECK_AUTHORITY(0);
  TRY(check_account(1, S->program, CONFIG, CONFIG_BYTES));
  TRY(check_account(2, S->program, POOL, POOL_BYTES));
  REQUIRE(is(1, ACCOUNT(2)->data + P_CONFIG), WRONG_RELATION);
  REQUIRE(is(8, ACCOUNT(1)->data + C_QUOTE_MINT), WRONG_RELATION);
  REQUIRE(is(9, ACCOUNT(1)->data + C_FEE_CLAIMER), UNAUTHORIZED);
  return pay_earned(0, 2, P_PARTNER_BASE, P_PARTNER_QUOTE);
}

static u64 claim_creator_trading_fee(void) {
  TRY(expect("rwwwwwrrsrr"));
  CHECK_AUTHORITY(0);
  TRY(check_account(1, S->program, POOL, POOL_BYTES));
  REQUIRE(is(8, ACCOUNT(1)->data + P_CREATOR), UNAUTHORIZED);
  return pay_earned(0, 1, P_CREATOR_BASE, P_CREATOR_QUOTE);
}

static u64 transfer_pool_creator(void) {
  TRY(expect("wrsr"));
  TRY(check_account(0, S->program, POOL, POOL_BYTES));
  u8 *pool = ACCOUNT(0)->data;
  REQUIRE(is(1, pool + P_CONFIG), WRONG_RELATION);
  REQUIRE(!is(3, ACCOUNT(2)->key), INVALID_NEW_CREATOR);
  REQUIRE(is(2, pool + P_CREATOR), UNAUTHORIZED);
  copy_key(pool + P_CREATOR, ACCOUNT(3)->key);
  return 0;
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *discriminator = take(8);
  REQUIRE(discriminator, INSTRUCTION_MISSING);
  switch (WORD(discriminator)) {
    case DISCRIMINATOR(0xc9cff3724b6f2fbdULL): return create_config();
    case DISCRIMINATOR(INITIALIZE): return initialize_pool();
    case DISCRIMINATOR(0xf8c69e91e17587c8ULL): return swap();
    case DISCRIMINATOR(0x414b3f4ceb5b5b88ULL): return swap2();
    case DISCRIMINATOR(0x08ec5931987db151ULL): return claim_trading_fee();
    case DISCRIMINATOR(0x52dcfabd03556b2dULL): return claim_creator_trading_fee();
    case DISCRIMINATOR(0x1407a9213a93a621ULL): return transfer_pool_creator();
  }
  return UNKNOWN_INSTRUCTION;
}
