/*
 * Stand-in for the fee share program (version 2): the claimers of a token's fees, their manager, and the payments. The
 * original is not published; its interface determines names, accounts and errors, and the rest is inferred: claimers
 * are the accounts after the instruction's own, in the order of their shares.
 */
#include "wide.h"

/* The original pays in wrapped SOL only. ANY_QUOTE permits another token (see quoteShare.c). */
#ifdef ANY_QUOTE
#define QUOTE_IS_FIT(index) is_token_program(ACCOUNT(index)->owner)
#define QUOTE_TOKENS(index) (ACCOUNT(index)->owner)
#else
#define QUOTE_IS_FIT(index) is(index, WSOL_MINT)
#define QUOTE_TOKENS(index) TOKEN_PROGRAM
#endif

#define CONFIG 0x2847889cde311fc9ULL
#define AUTHORITY 0x521c8ca7a8d85dd3ULL
#define PARTNER 0xd46e6afd42834d60ULL
#define PROGRAM_CONFIG 0xc4d25ae790958c3fULL
#define USER_VAULT 0x751498fba312c1c0ULL
#define CONFIG_HEADER 184
#define AUTHORITY_HEADER 104
#define PARTNER_BYTES 128
#define PROGRAM_CONFIG_BYTES 195
#define USER_VAULT_BYTES 105
#define MAX_CLAIMERS 100
#define ALL 10000

enum {
  INVALID_BPS = 6002,
  INVALID_PARTNER_BPS = 6003,
  INVALID_PARTNER_ACCOUNTS = 6008,
  UNAUTHORIZED = 6009,
  NOTHING_TO_CLAIM = 6010,
  MISMATCHED_LENGTHS = 6012,
  INDEX_OUT_OF_BOUNDS = 6013,
  ONLY_WSOL = 6014,
  DUPLICATE_CLAIMER = 6015,
  CANNOT_REMOVE_WITH_FEES = 6016,
  CANNOT_MOVE_WITH_FEES = 6017,
  INVALID_UPDATE_INDEX = 6022,
  NOT_FINALIZED = 6023,
  INVALID_NUMBER = 6025,
  ALREADY_FINALIZED = 6026,
  NO_MANAGER = 6029,
  UNAUTHORIZED_MANAGER = 6030,
  INVALID_NEW_MANAGER = 6031,
};

/* Fields of a config. */
#define C_BASE 8
#define C_QUOTE 40
#define C_PARTNER 72
#define C_PARTNER_CONFIG 104
#define C_MANAGER 136
#define C_FINALIZED 176
#define C_LOCKED 177
#define C_BUMP 183
/* Fields of the fee authority account. */
#define A_CONFIG 8
#define A_LIFETIME 40
#define A_USERS_CLAIMED 56
#define A_PARTNER_CLAIMED 72
#define A_BUMP 88
#define A_RESERVED 96 /* our own: unpaid fees of the deployer */
/* Fields of a partner's config. */
#define R_CLAIMED 8
#define R_ACCUMULATED 24
#define R_LIFETIME 32
#define R_PARTNER 48
#define R_BUMP 85
#define R_BPS 86
/* Fields of the program's own config without a pending admin. */
#define G_ADMIN 8
#define G_VAULT 41
#define G_BPS 73
#define G_ACCUMULATED 91
#define G_LIFETIME 99
#define G_BUMP 162
#define G_DEPLOYER_BPS 164 /* our own: the deployer's share of the claimers' fees */

static const u8 NO_KEY[32] = {0};

/* The program's state on the heap, after the common state. */
typedef struct {
  u64 config, authority, base, quote; /* indexes of these accounts */
} Place;
#define AT ((Place *)OWN_STATE)

static void add_word(u8 *total, u64 amount) {
  u64 wide[2] = {amount, 0};
  add((u64 *)total, (u64 *)total, wide);
}

/* ---- addresses ---- */

static void pair_seeds(const char *word, u64 length) {
  seeds_begin();
  seed(word, length);
  SEED_KEY(ACCOUNT(AT->base)->key);
  SEED_KEY(ACCOUNT(AT->quote)->key);
}
#define CONFIG_SEEDS() pair_seeds("fee_share_config", 16)
#define AUTHORITY_SEEDS() pair_seeds("fee_share_authority", 19)

/* Derives the address that is the fee claimer at the venues and holds the fees; it can sign afterwards. */
static const u8 *authority_address(void) {
  AUTHORITY_SEEDS();
  return derive_own();
}

/* Stores the indexes of config, authority and both mints, and checks their addresses. */
static u64 place(u64 config, u64 authority, u64 base) {
  AT->config = config, AT->authority = authority, AT->base = base, AT->quote = base + 1;
  REQUIRE(QUOTE_IS_FIT(AT->quote), ONLY_WSOL);
  CONFIG_SEEDS();
  REQUIRE(is(config, derive_own()), WRONG_SEEDS);
  REQUIRE(is(authority, authority_address()), WRONG_SEEDS);
  return 0;
}

/* Same for an existing config. */
static u64 place_made(u64 config, u64 authority, u64 base) {
  TRY(place(config, authority, base));
  TRY(check_account(config, S->program, CONFIG, CONFIG_HEADER));
  return check_account(authority, S->program, AUTHORITY, AUTHORITY_HEADER);
}

static u64 check_program_config(u64 index) {
  seeds_begin();
  SEED_TEXT("program_config");
  REQUIRE(is(index, derive_own()), WRONG_SEEDS);
  return check_account(index, S->program, PROGRAM_CONFIG, PROGRAM_CONFIG_BYTES);
}
static u64 check_admin(u64 admin, u64 program_config) {
  TRY(check_program_config(program_config));
  REQUIRE(is(admin, ACCOUNT(program_config)->data + G_ADMIN), UNAUTHORIZED);
  return 0;
}

static void partner_seeds(const u8 *partner) {
  seeds_begin();
  SEED_TEXT("partner_config");
  SEED_KEY(partner);
}
/* Requires partner and partner config to be both given or both absent. */
static u64 check_partner(u64 config, u64 partner) {
  REQUIRE(absent(config) == absent(partner), INVALID_PARTNER_ACCOUNTS);
  if (absent(config)) return 0;
  partner_seeds(ACCOUNT(partner)->key);
  REQUIRE(is(config, derive_own()), WRONG_SEEDS);
  return check_account(config, S->program, PARTNER, PARTNER_BYTES);
}

/* ---- claimers ---- */

static u64 claimer_count(void) { return (size(ACCOUNT(AT->config)) - CONFIG_HEADER) / 34; }
static u8 *claimer(u64 i) { return ACCOUNT(AT->config)->data + CONFIG_HEADER + 32 * i; }
static u16 *bps(u64 i, u64 count) {
  return (u16 *)(ACCOUNT(AT->config)->data + CONFIG_HEADER + 32 * count + 2 * i);
}
static u64 *fees(u64 i) { return (u64 *)(ACCOUNT(AT->authority)->data + AUTHORITY_HEADER + 8 * i); }

static u64 resize(u64 payer, u64 index, u64 bytes) {
  if (bytes > size(ACCOUNT(index))) return grow(payer, index, bytes);
  WORD(ACCOUNT(index)->data - 8) = bytes;
  return 0;
}

/* Moves bytes between overlapping ranges. */
static void shift(u8 *to, const u8 *from, u64 count) {
  if (to < from) copy(to, from, count);
  else
    while (count-- > 0) to[count] = from[count];
}

/*
 * Writes the claimers after the instruction's own `fixed` accounts to the indexes `from` up to `to`. A claimer with
 * unpaid fees must keep its index.
 */
static u64 put_claimers(u64 payer, u64 fixed, u64 from, u64 to, const u16 *shares, u64 given) {
  u64 count = claimer_count(), after = count - (to - from) + given;
  REQUIRE(S->count - fixed == given, MISMATCHED_LENGTHS);
  REQUIRE(after >= 1 && after <= MAX_CLAIMERS, INVALID_NUMBER);
  for (u64 i = from; i < count; i++) {
    if (*fees(i) == 0) continue;
    if (i >= to) REQUIRE(after == count, CANNOT_MOVE_WITH_FEES);
    else REQUIRE(i - from < given && same(ACCOUNT(fixed + i - from)->key, claimer(i)), CANNOT_REMOVE_WITH_FEES);
  }
  if (after > count) {
    TRY(resize(payer, AT->config, CONFIG_HEADER + 34 * after));
    TRY(resize(payer, AT->authority, AUTHORITY_HEADER + 8 * after));
  }
  u64 tail = count - to, end = from + given;
  u8 *data = ACCOUNT(AT->config)->data + CONFIG_HEADER;
  /* The shares follow all claimers. If the list grows, the last bytes move first, otherwise the first. */
  if (after > count) {
    shift(data + 32 * after + 2 * end, data + 32 * count + 2 * to, 2 * tail);
    shift(data + 32 * after, data + 32 * count, 2 * from);
    shift(data + 32 * end, data + 32 * to, 32 * tail);
  } else {
    shift(data + 32 * end, data + 32 * to, 32 * tail);
    shift(data + 32 * after, data + 32 * count, 2 * from);
    shift(data + 32 * after + 2 * end, data + 32 * count + 2 * to, 2 * tail);
  }
  shift((u8 *)fees(end), (u8 *)fees(to), 8 * tail);
  for (u64 i = 0; i < given; i++) {
    copy_key(data + 32 * (from + i), ACCOUNT(fixed + i)->key);
    SHORT(data + 32 * after + 2 * (from + i)) = shares[i];
    if (from + i >= to) *fees(from + i) = 0;
  }
  if (after < count) {
    TRY(resize(payer, AT->config, CONFIG_HEADER + 34 * after));
    TRY(resize(payer, AT->authority, AUTHORITY_HEADER + 8 * after));
  }
  for (u64 i = from; i < end; i++)
    for (u64 j = 0; j < after; j++)
      if (i != j) REQUIRE(!same(claimer(i), claimer(j)), DUPLICATE_CLAIMER);
  return 0;
}

/* Returns the sum of all shares; 10,000 is complete. */
static u64 sum(void) {
  u64 count = claimer_count(), total = 0;
  for (u64 i = 0; i < count; i++) total += *bps(i, count);
  return total;
}

/* Reads the shares of an instruction, and whether they are the last. */
#define TAKE_SHARES(shares, given) \
  TAKE(given##_bytes, 4); \
  u64 given = HALF(given##_bytes); \
  REQUIRE(given <= MAX_ACCOUNTS, INVALID_NUMBER); \
  const u16 *shares = (const u16 *)take(2 * given); \
  REQUIRE(shares, DATA_DOES_NOT_FIT)

/* ---- configs ---- */

static u64 create_config(void) {
  enum { PAYER, ADMIN, PROGRAM_AT, CONFIG_AT, AUTHORITY_AT, HOLDS, PARTNER_CONFIG, PARTNER_AT, BASE, QUOTE, SYSTEM,
         TOKENS, ATAS, FIXED = 15 };
  TRY(expect("WWrwwwoorrrrr"));
  TRY(check_admin(ADMIN, PROGRAM_AT));
  TAKE_SHARES(shares, given);
  TAKE(last, 1);
  REQUIRE(given > 0, INVALID_NUMBER);
  REQUIRE(S->count - FIXED == given, MISMATCHED_LENGTHS);
  TRY(place(CONFIG_AT, AUTHORITY_AT, BASE));
  TRY(check_partner(PARTNER_CONFIG, PARTNER_AT));
  REQUIRE(is(SYSTEM, SYSTEM_PROGRAM) && is(TOKENS, QUOTE_TOKENS(QUOTE)) && is(ATAS, ASSOCIATED_TOKEN_PROGRAM), WRONG_PROGRAM);
  CONFIG_SEEDS();
  TRY(make_own(PAYER, CONFIG_AT, CONFIG_HEADER, CONFIG));
  ACCOUNT(CONFIG_AT)->data[C_BUMP] = S->bump;
  AUTHORITY_SEEDS();
  TRY(make_own(PAYER, AUTHORITY_AT, AUTHORITY_HEADER, AUTHORITY));
  ACCOUNT(AUTHORITY_AT)->data[A_BUMP] = S->bump;
  TRY(associated_account(PAYER, HOLDS, QUOTE, ACCOUNT(AUTHORITY_AT)->key, QUOTE_TOKENS(QUOTE)));
  u8 *config = ACCOUNT(CONFIG_AT)->data;
  copy_key(config + C_BASE, ACCOUNT(BASE)->key);
  copy_key(config + C_QUOTE, ACCOUNT(QUOTE)->key);
  if (!absent(PARTNER_AT)) {
    copy_key(config + C_PARTNER, ACCOUNT(PARTNER_AT)->key);
    copy_key(config + C_PARTNER_CONFIG, ACCOUNT(PARTNER_CONFIG)->key);
  }
  copy_key(ACCOUNT(AUTHORITY_AT)->data + A_CONFIG, ACCOUNT(CONFIG_AT)->key);
  TRY(put_claimers(PAYER, FIXED, 0, 0, shares, given));
  REQUIRE(*last ? sum() == ALL : sum() <= ALL, INVALID_BPS);
  config[C_FINALIZED] = *last != 0;
  return 0;
}

static u64 extend_config(void) {
  enum { PAYER, ADMIN, PROGRAM_AT, CONFIG_AT, AUTHORITY_AT, PARTNER_AT, PARTNER_CONFIG, BASE, FIXED = 12 };
  TRY(expect("WWrwwoorrr"));
  TRY(check_admin(ADMIN, PROGRAM_AT));
  TRY(place_made(CONFIG_AT, AUTHORITY_AT, BASE));
  TRY(check_partner(PARTNER_CONFIG, PARTNER_AT));
  TAKE_SHARES(shares, given);
  TAKE(last, 1);
  u8 *config = ACCOUNT(CONFIG_AT)->data;
  REQUIRE(!config[C_FINALIZED], ALREADY_FINALIZED);
  REQUIRE(same(config + C_PARTNER, absent(PARTNER_AT) ? NO_KEY : ACCOUNT(PARTNER_AT)->key), INVALID_PARTNER_ACCOUNTS);
  u64 count = claimer_count();
  TRY(put_claimers(PAYER, FIXED, count, count, shares, given));
  REQUIRE(*last ? sum() == ALL : sum() <= ALL, INVALID_BPS);
  config[C_FINALIZED] = *last != 0;
  return 0;
}

static u64 update_manager(void) {
  TRY(expect("WWrwrrrrr"));
  TRY(check_admin(1, 2));
  TRY(place_made(3, 4, 6));
  copy_key(ACCOUNT(3)->data + C_MANAGER, ACCOUNT(5)->key);
  return 0;
}

/* Requires the signature of the config's manager. */
static u64 check_manager(u64 manager) {
  const u8 *held = ACCOUNT(AT->config)->data + C_MANAGER;
  REQUIRE(!same(held, NO_KEY), NO_MANAGER);
  REQUIRE(is(manager, held), UNAUTHORIZED_MANAGER);
  return 0;
}

static u64 manager_update(void) {
  enum { PAYER, MANAGER, CONFIG_AT, AUTHORITY_AT, BASE, QUOTE, SYSTEM, FIXED = 9 };
  TRY(expect("WWwwrrr"));
  TRY(place_made(CONFIG_AT, AUTHORITY_AT, BASE));
  TRY(check_manager(MANAGER));
  TAKE_SHARES(shares, given);
  TAKE(rest, 3); /* whether these are the last, and the replaced range */
  u8 *config = ACCOUNT(CONFIG_AT)->data;
  REQUIRE(config[C_FINALIZED], NOT_FINALIZED);
  REQUIRE(rest[1] <= rest[2] && rest[2] <= claimer_count(), INVALID_UPDATE_INDEX);
  TRY(put_claimers(PAYER, FIXED, rest[1], rest[2], shares, given));
  if (rest[0]) REQUIRE(sum() == ALL, INVALID_BPS);
  config[C_LOCKED] = !rest[0];
  return 0;
}

static u64 manager_transfer(void) {
  TRY(expect("WWrwrrrr"));
  TRY(place_made(3, 4, 5));
  TRY(check_manager(1));
  REQUIRE(!is(2, NO_KEY), INVALID_NEW_MANAGER);
  copy_key(ACCOUNT(3)->data + C_MANAGER, ACCOUNT(2)->key);
  return 0;
}

static u64 manager_waive(void) {
  TRY(expect("WWwrrrr"));
  TRY(place_made(2, 3, 4));
  TRY(check_manager(1));
  copy_key(ACCOUNT(2)->data + C_MANAGER, NO_KEY);
  return 0;
}

/* ---- payment of claimers ---- */

/* Returns the fees owed to the claimer at the given index, and resets them. */
static u64 take_owed(u64 *amount, u64 user) {
  TAKE(index, 4);
  REQUIRE(HALF(index) < claimer_count(), INDEX_OUT_OF_BOUNDS);
  REQUIRE(is(user, claimer(HALF(index))), UNAUTHORIZED);
  *amount = *fees(HALF(index));
  REQUIRE(*amount > 0, NOTHING_TO_CLAIM);
  *fees(HALF(index)) = 0;
  add_word(ACCOUNT(AT->authority)->data + A_USERS_CLAIMED, *amount);
  return 0;
}

static u64 claim_user(void) {
  enum { PAYER, USER, CONFIG_AT, AUTHORITY_AT, HOLDS, USER_HOLDS, BASE, QUOTE };
  u64 amount;
  TRY(expect("WWrwwwrrrrr"));
  TRY(place_made(CONFIG_AT, AUTHORITY_AT, BASE));
  TRY(associated_account(PAYER, HOLDS, QUOTE, ACCOUNT(AUTHORITY_AT)->key, QUOTE_TOKENS(QUOTE)));
  TRY(take_owed(&amount, USER));
  TRY(associated_account(PAYER, USER_HOLDS, QUOTE, ACCOUNT(USER)->key, QUOTE_TOKENS(QUOTE)));
  authority_address();
  MOVE(HOLDS, QUOTE, USER_HOLDS, AUTHORITY_AT, amount, 1);
  return 0;
}

static void vault_seeds(u64 user) {
  seeds_begin();
  SEED_TEXT("user_fee_vault");
  SEED_KEY(ACCOUNT(user)->key);
  SEED_KEY(ACCOUNT(AT->base)->key);
  SEED_KEY(ACCOUNT(AT->quote)->key);
}

/* Moves a claimer's fees to its vault; the service or the config's manager may call this. */
static u64 claim_to_vault(void) {
  enum { PAYER, SIGNER, PROGRAM_AT, USER, CONFIG_AT, AUTHORITY_AT, HOLDS, VAULT, VAULT_HOLDS, BASE, QUOTE };
  u64 amount;
  TRY(expect("Wsrrrwwwwrrrrr"));
  TRY(place_made(CONFIG_AT, AUTHORITY_AT, BASE));
  TRY(check_program_config(PROGRAM_AT));
  if (!is(SIGNER, ACCOUNT(PROGRAM_AT)->data + G_ADMIN)) REQUIRE(!check_manager(SIGNER), UNAUTHORIZED);
  TRY(associated_account(PAYER, HOLDS, QUOTE, ACCOUNT(AUTHORITY_AT)->key, QUOTE_TOKENS(QUOTE)));
  TRY(take_owed(&amount, USER));
  vault_seeds(USER);
  if (size(ACCOUNT(VAULT)) == 0) {
    TRY(make_own(PAYER, VAULT, USER_VAULT_BYTES, USER_VAULT));
    u8 *vault = ACCOUNT(VAULT)->data;
    copy_key(vault + 8, ACCOUNT(USER)->key);
    copy_key(vault + 40, ACCOUNT(BASE)->key);
    copy_key(vault + 72, ACCOUNT(QUOTE)->key);
    vault[104] = S->bump;
  } else {
    REQUIRE(is(VAULT, derive_own()), WRONG_SEEDS);
  }
  TRY(associated_account(PAYER, VAULT_HOLDS, QUOTE, ACCOUNT(VAULT)->key, QUOTE_TOKENS(QUOTE)));
  authority_address();
  MOVE(HOLDS, QUOTE, VAULT_HOLDS, AUTHORITY_AT, amount, 1);
  return 0;
}

#ifdef ANY_QUOTE
/* Pays out a vault in its quote token, to an existing account of the claimer. */
static u64 claim_vault(void) {
  enum { USER, VAULT, VAULT_HOLDS, BASE, QUOTE, TOKENS, USER_HOLDS };
  TRY(expect("Wrwrrrw"));
  AT->base = BASE, AT->quote = QUOTE;
  REQUIRE(QUOTE_IS_FIT(QUOTE), ONLY_WSOL);
  const u8 *tokens = QUOTE_TOKENS(QUOTE);
  REQUIRE(is(TOKENS, tokens), WRONG_PROGRAM);
  TRY(check_account(VAULT, S->program, USER_VAULT, USER_VAULT_BYTES));
  REQUIRE(is(VAULT_HOLDS, associated(ACCOUNT(VAULT)->key, tokens, ACCOUNT(QUOTE)->key)), WRONG_ASSOCIATED);
  REQUIRE(is(USER_HOLDS, associated(ACCOUNT(USER)->key, tokens, ACCOUNT(QUOTE)->key)), WRONG_ASSOCIATED);
  TRY(check_token(VAULT_HOLDS, ACCOUNT(QUOTE)->key));
  TRY(check_token(USER_HOLDS, ACCOUNT(QUOTE)->key));
  u64 amount = TOKEN_AMOUNT(ACCOUNT(VAULT_HOLDS));
  REQUIRE(amount > 0, NOTHING_TO_CLAIM);
  vault_seeds(USER);
  REQUIRE(is(VAULT, derive_own()), WRONG_SEEDS);
  MOVE(VAULT_HOLDS, QUOTE, USER_HOLDS, VAULT, amount, 1);
  return 0;
}
#else
/* Pays out a vault in SOL by closing its account. */
static u64 claim_vault(void) {
  enum { USER, VAULT, VAULT_HOLDS, BASE, QUOTE, TOKENS };
  TRY(expect("Wrwrrr"));
  AT->base = BASE, AT->quote = QUOTE;
  REQUIRE(is(QUOTE, WSOL_MINT), ONLY_WSOL);
  REQUIRE(is(TOKENS, TOKEN_PROGRAM), WRONG_PROGRAM);
  TRY(check_account(VAULT, S->program, USER_VAULT, USER_VAULT_BYTES));
  REQUIRE(is(VAULT_HOLDS, associated(ACCOUNT(VAULT)->key, TOKEN_PROGRAM, WSOL_MINT)), WRONG_ASSOCIATED);
  TRY(check_token(VAULT_HOLDS, WSOL_MINT));
  REQUIRE(TOKEN_AMOUNT(ACCOUNT(VAULT_HOLDS)) > 0, NOTHING_TO_CLAIM);
  vault_seeds(USER);
  REQUIRE(is(VAULT, derive_own()), WRONG_SEEDS);
  CALL(TOKEN_PROGRAM, "wws", VAULT_HOLDS, USER, VAULT);
  call_number(9, 1); /* CloseAccount */
  return call_run(1);
}
#endif

/* ---- collection from the venues ---- */

/* Account indexes of a collecting instruction; the order of partner and program differs between venues. */
typedef struct {
  u64 payer, holds, base_holds, partner_config, partner, partner_holds, program, platform;
  u64 before;
} Collection;
#define GOT ((Collection *)(OWN_STATE + 64))

static u64 collect_begin(void) {
  const Account *config = ACCOUNT(AT->config), *authority = ACCOUNT(AT->authority);
  TRY(check_program_config(GOT->program));
#ifdef ANY_QUOTE
  const u8 *vault = associated(ACCOUNT(GOT->program)->key, QUOTE_TOKENS(AT->quote), ACCOUNT(AT->quote)->key);
#else
  const u8 *vault = ACCOUNT(GOT->program)->data + G_VAULT;
#endif
  REQUIRE(is(GOT->platform, vault), WRONG_RELATION);
  REQUIRE(config->data[C_FINALIZED], NOT_FINALIZED);
  TRY(check_partner(GOT->partner_config, GOT->partner));
  const u8 *partner = absent(GOT->partner) ? NO_KEY : ACCOUNT(GOT->partner)->key;
  REQUIRE(same(config->data + C_PARTNER, partner), INVALID_PARTNER_ACCOUNTS);
  TRY(associated_account(GOT->payer, GOT->holds, AT->quote, authority->key, QUOTE_TOKENS(AT->quote)));
  TRY(associated_account(GOT->payer, GOT->base_holds, AT->base, authority->key, TOKEN_PROGRAM));
  if (!absent(GOT->partner)) {
    const u8 *owner = ACCOUNT(GOT->partner_config)->key;
    TRY(associated_account(GOT->payer, GOT->partner_holds, AT->quote, owner, QUOTE_TOKENS(AT->quote)));
  }
  GOT->before = TOKEN_AMOUNT(ACCOUNT(GOT->holds));
  return 0;
}

/*
 * Divides received fees: the shares of platform, partner and deployer, and the rest among the claimers. The service
 * states that deployers earn, but the public interface does not show how; their accounting is invented.
 */
static u64 collect_end(void) {
  u64 amount = TOKEN_AMOUNT(ACCOUNT(GOT->holds)) - GOT->before, count = claimer_count();
  u8 *authority = ACCOUNT(AT->authority)->data, *program = ACCOUNT(GOT->program)->data;
  u64 platform = share(amount, SHORT(program + G_BPS), ALL, 0), part = 0;
  WORD(program + G_ACCUMULATED) += platform;
  add_word(program + G_LIFETIME, platform);
  authority_address();
  MOVE(GOT->holds, AT->quote, GOT->platform, AT->authority, platform, 1);
  if (!absent(GOT->partner)) {
    u8 *partner = ACCOUNT(GOT->partner_config)->data;
    part = share(amount - platform, SHORT(partner + R_BPS), ALL, 0);
    WORD(partner + R_ACCUMULATED) += part;
    add_word(partner + R_LIFETIME, part);
    add_word(authority + A_PARTNER_CLAIMED, part);
    MOVE(GOT->holds, AT->quote, GOT->partner_holds, AT->authority, part, 1);
  }
  amount -= platform + part;
  u64 reserved = share(amount, SHORT(program + G_DEPLOYER_BPS), ALL, 0);
  WORD(authority + A_RESERVED) += reserved;
  amount -= reserved;
  add_word(authority + A_LIFETIME, amount);
  for (u64 i = 0; i < count; i++) *fees(i) += share(amount, *bps(i, count), ALL, 0);
  return 0;
}

static u64 claim_dbc(void) {
  enum { PAYER, CONFIG_AT, AUTHORITY_AT, HOLDS, BASE_HOLDS, PARTNER_CONFIG, PARTNER_AT, PARTNER_HOLDS, PROGRAM_AT,
         PLATFORM, BASE, QUOTE, TOKENS, ATAS, VENUE, VENUE_AUTHORITY, VENUE_CONFIG, POOL, BASE_VAULT, QUOTE_VAULT,
         VENUE_EVENTS, BASE_PROGRAM, QUOTE_PROGRAM };
  TRY(expect("Wrwwwpopwwrrrrrrrwwwrrrr"));
  TRY(place_made(CONFIG_AT, AUTHORITY_AT, BASE));
  REQUIRE(is(VENUE, DBC_PROGRAM), WRONG_ADDRESS);
  GOT->payer = PAYER, GOT->holds = HOLDS, GOT->base_holds = BASE_HOLDS, GOT->partner_config = PARTNER_CONFIG;
  GOT->partner = PARTNER_AT, GOT->partner_holds = PARTNER_HOLDS, GOT->program = PROGRAM_AT, GOT->platform = PLATFORM;
  TRY(collect_begin());
  CALL(DBC_PROGRAM, "rrwwwwwrrsrrrr", VENUE_AUTHORITY, VENUE_CONFIG, POOL, BASE_HOLDS, HOLDS, BASE_VAULT, QUOTE_VAULT,
       BASE, QUOTE, AUTHORITY_AT, BASE_PROGRAM, QUOTE_PROGRAM, VENUE_EVENTS, VENUE);
  call_number(DISCRIMINATOR(0x08ec5931987db151ULL), 8); /* claim_trading_fee: everything on both sides */
  call_number(~0ULL, 8);
  call_number(~0ULL, 8);
  authority_address();
  TRY(call_run(1));
  return collect_end();
}

static u64 claim_damm_v2(void) {
  enum { PAYER, CONFIG_AT, AUTHORITY_AT, HOLDS, BASE_HOLDS, PROGRAM_AT, PLATFORM, PARTNER_CONFIG, PARTNER_AT,
         PARTNER_HOLDS, BASE, QUOTE, TOKENS, ATAS, VENUE, VENUE_AUTHORITY, POOL, POSITION, BASE_VAULT, QUOTE_VAULT, NFT,
         VENUE_EVENTS, BASE_PROGRAM, QUOTE_PROGRAM };
  TRY(expect("Wrwwwwwpoprrrrrrrwwwrrrrr"));
  TRY(place_made(CONFIG_AT, AUTHORITY_AT, BASE));
  REQUIRE(is(VENUE, DAMM_V2_PROGRAM), WRONG_ADDRESS);
  GOT->payer = PAYER, GOT->holds = HOLDS, GOT->base_holds = BASE_HOLDS, GOT->partner_config = PARTNER_CONFIG;
  GOT->partner = PARTNER_AT, GOT->partner_holds = PARTNER_HOLDS, GOT->program = PROGRAM_AT, GOT->platform = PLATFORM;
  TRY(collect_begin());
  /* The pool determines the order of the tokens. */
  REQUIRE(same(ACCOUNT(POOL)->owner, DAMM_V2_PROGRAM) && size(ACCOUNT(POOL)) >= 232, WRONG_OWNER);
  int base_first = is(BASE, ACCOUNT(POOL)->data + 168);
  CALL(DAMM_V2_PROGRAM, "rrwwwwwrrrsrrrr", VENUE_AUTHORITY, POOL, POSITION, base_first ? BASE_HOLDS : HOLDS,
       base_first ? HOLDS : BASE_HOLDS, base_first ? BASE_VAULT : QUOTE_VAULT, base_first ? QUOTE_VAULT : BASE_VAULT,
       base_first ? BASE : QUOTE, base_first ? QUOTE : BASE, NFT, AUTHORITY_AT,
       base_first ? BASE_PROGRAM : QUOTE_PROGRAM, base_first ? QUOTE_PROGRAM : BASE_PROGRAM, VENUE_EVENTS, VENUE);
  call_number(DISCRIMINATOR(0xb4269a118521a2d3ULL), 8); /* claim_position_fee */
  authority_address();
  TRY(call_run(1));
  return collect_end();
}

/* Moves the deployer's fees to its vault, named by the service. */
static u64 pay_deployer(void) {
  enum { ADMIN, PROGRAM_AT, CONFIG_AT, AUTHORITY_AT, HOLDS, VAULT, BASE, QUOTE, TOKENS };
  TRY(expect("srrwwwrrr"));
  TRY(check_admin(ADMIN, PROGRAM_AT));
  TRY(place_made(CONFIG_AT, AUTHORITY_AT, BASE));
  const u8 *tokens = QUOTE_TOKENS(QUOTE);
  REQUIRE(is(HOLDS, associated(ACCOUNT(AUTHORITY_AT)->key, tokens, ACCOUNT(QUOTE)->key)), WRONG_ASSOCIATED);
  u64 *reserved = &WORD(ACCOUNT(AUTHORITY_AT)->data + A_RESERVED), amount = *reserved;
  REQUIRE(amount > 0, NOTHING_TO_CLAIM);
  TRY(check_token(VAULT, ACCOUNT(QUOTE)->key));
  *reserved = 0;
  authority_address();
  MOVE(HOLDS, QUOTE, VAULT, AUTHORITY_AT, amount, 1);
  return 0;
}

/* ---- partners and the program itself ---- */

static u64 create_partner(void) {
  enum { PAYER, ADMIN, PROGRAM_AT, PARTNER_CONFIG, HOLDS, PARTNER_AT, QUOTE, SYSTEM };
  TRY(expect("WWrwwrrrrr"));
  TRY(check_admin(ADMIN, PROGRAM_AT));
  TAKE(part, 2);
  REQUIRE(SHORT(part) > 0 && SHORT(part) < ALL, INVALID_PARTNER_BPS);
  REQUIRE(QUOTE_IS_FIT(QUOTE), ONLY_WSOL);
  partner_seeds(ACCOUNT(PARTNER_AT)->key);
  TRY(make_own(PAYER, PARTNER_CONFIG, PARTNER_BYTES, PARTNER));
  u8 *config = ACCOUNT(PARTNER_CONFIG)->data;
  copy_key(config + R_PARTNER, ACCOUNT(PARTNER_AT)->key);
  config[R_BUMP] = S->bump;
  SHORT(config + R_BPS) = SHORT(part);
  return associated_account(PAYER, HOLDS, QUOTE, ACCOUNT(PARTNER_CONFIG)->key, QUOTE_TOKENS(QUOTE));
}

static u64 claim_partner(void) {
  enum { PAYER, PARTNER_AT, PARTNER_CONFIG, PARTNER_HOLDS, HOLDS, QUOTE };
  TRY(expect("WWwwwrrrr"));
  partner_seeds(ACCOUNT(PARTNER_AT)->key);
  REQUIRE(is(PARTNER_CONFIG, derive_own()), WRONG_SEEDS);
  TRY(check_account(PARTNER_CONFIG, S->program, PARTNER, PARTNER_BYTES));
  REQUIRE(QUOTE_IS_FIT(QUOTE), ONLY_WSOL);
  TRY(associated_account(PAYER, HOLDS, QUOTE, ACCOUNT(PARTNER_CONFIG)->key, QUOTE_TOKENS(QUOTE)));
  TRY(associated_account(PAYER, PARTNER_HOLDS, QUOTE, ACCOUNT(PARTNER_AT)->key, QUOTE_TOKENS(QUOTE)));
  u8 *config = ACCOUNT(PARTNER_CONFIG)->data;
  u64 amount = WORD(config + R_ACCUMULATED);
#ifdef ANY_QUOTE
  amount = TOKEN_AMOUNT(ACCOUNT(HOLDS)); /* the config counts all quote tokens together */
#endif
  REQUIRE(amount > 0, NOTHING_TO_CLAIM);
  WORD(config + R_ACCUMULATED) -= amount < WORD(config + R_ACCUMULATED) ? amount : WORD(config + R_ACCUMULATED);
  add_word(config + R_CLAIMED, amount);
  partner_seeds(ACCOUNT(PARTNER_AT)->key);
  derive_own();
  MOVE(HOLDS, QUOTE, PARTNER_HOLDS, PARTNER_CONFIG, amount, 1);
  return 0;
}

static u64 init_program(void) {
  enum { PAYER, ADMIN, PROGRAM_AT, PLATFORM, QUOTE };
  TRY(expect("Wswwrrrr"));
  REQUIRE(QUOTE_IS_FIT(QUOTE), ONLY_WSOL);
  seeds_begin();
  SEED_TEXT("program_config");
  TRY(make_own(PAYER, PROGRAM_AT, PROGRAM_CONFIG_BYTES, PROGRAM_CONFIG));
  u8 *config = ACCOUNT(PROGRAM_AT)->data;
  copy_key(config + G_ADMIN, ACCOUNT(ADMIN)->key);
  copy_key(config + G_VAULT, ACCOUNT(PLATFORM)->key);
  config[G_BUMP] = S->bump;
  return associated_account(PAYER, PLATFORM, QUOTE, ACCOUNT(PROGRAM_AT)->key, QUOTE_TOKENS(QUOTE));
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *discriminator = take(8);
  REQUIRE(discriminator, INSTRUCTION_MISSING);
  switch (WORD(discriminator)) {
    case DISCRIMINATOR(0xd6ac694008e4d1ccULL): return create_config();
    case DISCRIMINATOR(0xcdac71fee13b524fULL): return extend_config();
    case DISCRIMINATOR(0xc408a8c7a6044dd4ULL): return update_manager();
    case DISCRIMINATOR(0x54387d65d2d6c3c5ULL): return manager_update();
    case DISCRIMINATOR(0x8d4a11ae7c0baae3ULL): return manager_transfer();
    case DISCRIMINATOR(0x69338c72fea0adacULL): return manager_waive();
    case DISCRIMINATOR(0xa44037c75a4e93bcULL): return claim_user();
    case DISCRIMINATOR(0x09151b15d1960c8eULL): return claim_to_vault();
    case DISCRIMINATOR(0xd8b41dbc0c052b08ULL): return claim_vault();
    case DISCRIMINATOR(0xe58e2641c6326e3aULL): return claim_dbc();
    case DISCRIMINATOR(0xe8af6a13a836ba6cULL): return claim_damm_v2();
    case DISCRIMINATOR(0x483a9963e0276fceULL): return pay_deployer();
    case DISCRIMINATOR(0xd000f5a1dc808a99ULL): return create_partner();
    case DISCRIMINATOR(0xb54e94dd64361572ULL): return claim_partner();
    case DISCRIMINATOR(0xb936ede5dbb36d14ULL): return init_program();
  }
  return UNKNOWN_INSTRUCTION;
}
