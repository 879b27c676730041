/*
 * Common parts of the sandbox's programs: accounts and data, checks in Anchor's order, derived addresses, and calls of
 * the system and token programs.
 *
 * The virtual machine has 512 bytes of stack per frame, at most five arguments per call, no signed division and no C
 * library. Large values are in one struct at the start of the heap; 128-bit numbers are pairs of words. A function that
 * can fail returns 0 or the error code of the transaction.
 */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define HEAP 0x300000000ULL
#define MAX_ACCOUNTS 64
#define MAX_SEEDS 8
#define TRY(call) do { u64 failed_ = (call); if (failed_) return failed_; } while (0)
#define REQUIRE(condition, code) do { if (!(condition)) return (code); } while (0)

/* Errors of the Anchor framework, by its names. */
enum {
  INSTRUCTION_MISSING = 100,
  UNKNOWN_INSTRUCTION = 101,
  DATA_DOES_NOT_FIT = 102,
  NOT_WRITABLE = 2000,
  WRONG_RELATION = 2001,
  NOT_THE_CONSTRAINT = 2003,
  WRONG_SEEDS = 2006,
  WRONG_ASSOCIATED = 2009,
  WRONG_ADDRESS = 2012,
  WRONG_MINT = 2014,
  WRONG_TOKEN_OWNER = 2015,
  WRONG_DISCRIMINATOR = 3002,
  TOO_FEW_ACCOUNTS = 3005,
  WRONG_OWNER = 3007,
  WRONG_PROGRAM = 3008,
  NOT_A_SIGNER = 3010,
  NOT_INITIALIZED = 3012,
};

/* An account in the runtime's call format; the pointers refer to the input. */
typedef struct {
  const u8 *key;
  u64 *lamports;
  u64 size_when_loaded; /* use size() */
  u8 *data;
  const u8 *owner;
  u64 rent_epoch;
  u8 signer;
  u8 writable;
  u8 executable;
} Account;

typedef struct {
  const u8 *key;
  u8 writable;
  u8 signer;
} Meta;

typedef struct {
  const u8 *program;
  const Meta *accounts;
  u64 account_count;
  const u8 *data;
  u64 size;
} Instruction;

typedef struct {
  const u8 *bytes;
  u64 size;
} Seed;

typedef struct {
  const Seed *seeds;
  u64 count;
} Signer;

/* The start of the heap. A program's own state follows at OWN_STATE. */
typedef struct {
  Account accounts[MAX_ACCOUNTS];
  u64 count;
  const u8 *program; /* address of the running program */
  const u8 *data;    /* unread instruction data */
  u64 left;
  /* The call being built. */
  Instruction call;
  Meta metas[MAX_ACCOUNTS];
  u8 bytes[1280];
  /* Seeds of the address to derive; afterwards of the signer. */
  Seed seeds[MAX_SEEDS];
  u64 seed_count;
  u8 bump;
  Signer signer;
  u8 derived[32];
  u64 rent[3];
} State;

#define S ((State *)HEAP)
#define OWN_STATE (HEAP + 8192)
#define ACCOUNT(index) (&S->accounts[index])

/* Functions of the runtime. */
extern u64 sol_invoke_signed_c(const Instruction *, const Account *, u64 accounts, const Signer *, u64 signers);
extern u64 sol_try_find_program_address(const Seed *, u64 count, const u8 *program, u8 *address, u8 *bump);
extern u64 sol_get_clock_sysvar(void *);
extern u64 sol_get_rent_sysvar(void *);
extern u64 sol_log_(const char *, u64 size);
extern u64 sol_set_return_data(const u8 *, u64 size);

#include "addresses.generated.h"

/* ---- bytes ---- */

#define WORD(p) (*(u64 *)(p))
#define HALF(p) (*(u32 *)(p))
#define SHORT(p) (*(u16 *)(p))

static void copy(u8 *to, const u8 *from, u64 size) {
  for (u64 i = 0; i < size; i++) to[i] = from[i];
}
static void copy_key(u8 *to, const u8 *from) {
  for (u64 i = 0; i < 32; i += 8) WORD(to + i) = WORD(from + i);
}
static int same(const u8 *a, const u8 *b) {
  for (u64 i = 0; i < 32; i += 8)
    if (WORD(a + i) != WORD(b + i)) return 0;
  return 1;
}
/* Returns whether address a sorts after b, by bytes. */
static int behind(const u8 *a, const u8 *b) {
  for (u64 i = 0; i < 32; i++)
    if (a[i] != b[i]) return a[i] > b[i];
  return 0;
}
/* Writes a line to the transaction's log. */
#define LOG(text) sol_log_(text, sizeof(text) - 1)

/* ---- input ---- */

/* Returns the current data size of an account. */
static u64 size(const Account *account) { return WORD(account->data - 8); }

/* Parses the runtime's input. */
static void load(u8 *input) {
  u64 count = WORD(input);
  input += 8;
  S->count = count < MAX_ACCOUNTS ? count : MAX_ACCOUNTS;
  for (u64 i = 0; i < count; i++) {
    Account *account = ACCOUNT(i < MAX_ACCOUNTS ? i : MAX_ACCOUNTS - 1);
    if (input[0] != 0xff) {
      const Account *first = ACCOUNT(input[0]);
      account->key = first->key, account->lamports = first->lamports, account->data = first->data;
      account->size_when_loaded = first->size_when_loaded, account->owner = first->owner;
      account->rent_epoch = first->rent_epoch, account->signer = first->signer;
      account->writable = first->writable, account->executable = first->executable;
      input += 8;
      continue;
    }
    account->signer = input[1];
    account->writable = input[2];
    account->executable = input[3];
    account->key = input + 8;
    account->owner = input + 40;
    account->lamports = (u64 *)(input + 72);
    account->size_when_loaded = WORD(input + 80);
    account->data = input + 88;
    input += 88 + account->size_when_loaded + 10240;
    input = (u8 *)(((u64)input + 7) & ~7ULL);
    account->rent_epoch = WORD(input);
    input += 8;
  }
  S->left = WORD(input);
  S->data = input + 8;
  S->program = S->data + S->left;
}

/* Returns the next bytes of the instruction data, or null if there are too few. */
static const u8 *take(u64 bytes) {
  if (S->left < bytes) return 0;
  const u8 *at = S->data;
  S->data += bytes;
  S->left -= bytes;
  return at;
}
/* Reads the next `count` bytes of the data, or fails. Bytes after the last argument are ignored, as in Anchor. */
#define TAKE(name, count) const u8 *name = take(count); REQUIRE(name, DATA_DOES_NOT_FIT)

/* Converts a discriminator, written with its first byte first, to a little-endian number. */
#define DISCRIMINATOR(hex) __builtin_bswap64(hex)

/* ---- derived addresses ---- */

static void seeds_begin(void) { S->seed_count = 0; }
static void seed(const void *bytes, u64 count) {
  S->seeds[S->seed_count].bytes = bytes;
  S->seeds[S->seed_count].size = count;
  S->seed_count++;
}
#define SEED_TEXT(text) seed(text, sizeof(text) - 1)
#define SEED_KEY(key) seed(key, 32)

/* Derives the address of the seeds for a program; afterwards the seeds with the bump can sign for it. */
static const u8 *derive(const u8 *program) {
  sol_try_find_program_address(S->seeds, S->seed_count, program, S->derived, &S->bump);
  seed(&S->bump, 1);
  S->signer.seeds = S->seeds;
  S->signer.count = S->seed_count;
  return S->derived;
}
static const u8 *derive_own(void) { return derive(S->program); }

static const u8 *associated(const u8 *owner, const u8 *token_program, const u8 *mint) {
  seeds_begin();
  SEED_KEY(owner);
  SEED_KEY(token_program);
  SEED_KEY(mint);
  return derive(ASSOCIATED_TOKEN_PROGRAM);
}

/* ---- checks ---- */

/*
 * Checks the accounts of an instruction by a letter each: r read-only, w writable, s signer, W writable signer; o and p
 * are optional (the program's own address if absent), p is writable. Anchor instructions that emit events end with the
 * event authority and the program itself; `expect` adds these two.
 */
static u64 expect_only(const char *letters) {
  u64 i = 0;
  for (; letters[i]; i++) {
    REQUIRE(i < S->count, TOO_FEW_ACCOUNTS);
    const Account *account = ACCOUNT(i);
    char letter = letters[i];
    if ((letter == 'o' || letter == 'p') && same(account->key, S->program)) continue;
    if (letter == 's' || letter == 'W') REQUIRE(account->signer, NOT_A_SIGNER);
    if (letter == 'w' || letter == 'W' || letter == 'p') REQUIRE(account->writable, NOT_WRITABLE);
  }
  return 0;
}
static u64 expect(const char *letters) {
  u64 count = 0;
  TRY(expect_only(letters));
  while (letters[count]) count++;
  REQUIRE(count + 2 <= S->count, TOO_FEW_ACCOUNTS);
  seeds_begin();
  SEED_TEXT("__event_authority");
  REQUIRE(same(ACCOUNT(count)->key, derive_own()), WRONG_SEEDS);
  REQUIRE(same(ACCOUNT(count + 1)->key, S->program), WRONG_PROGRAM);
  return 0;
}
static int absent(u64 index) { return same(ACCOUNT(index)->key, S->program); }
static int is(u64 index, const u8 *key) { return same(ACCOUNT(index)->key, key); }

/* Requires an account of a program with this discriminator and minimum size. */
static u64 check_account(u64 index, const u8 *owner, u64 discriminator, u64 bytes) {
  const Account *account = ACCOUNT(index);
  if (size(account) == 0 && same(account->owner, SYSTEM_PROGRAM)) return NOT_INITIALIZED;
  REQUIRE(same(account->owner, owner), WRONG_OWNER);
  REQUIRE(size(account) >= bytes && WORD(account->data) == DISCRIMINATOR(discriminator), WRONG_DISCRIMINATOR);
  return 0;
}

static int is_token_program(const u8 *key) { return same(key, TOKEN_PROGRAM) || same(key, TOKEN_2022_PROGRAM); }

#define TOKEN_MINT(account) ((account)->data)
#define TOKEN_OWNER(account) ((account)->data + 32)
#define TOKEN_AMOUNT(account) WORD((account)->data + 64)
#define MINT_DECIMALS(account) ((account)->data[44])

/* Requires a token account of a mint. */
static u64 check_token(u64 index, const u8 *mint) {
  const Account *account = ACCOUNT(index);
  REQUIRE(is_token_program(account->owner), same(account->owner, SYSTEM_PROGRAM) ? NOT_INITIALIZED : WRONG_OWNER);
  REQUIRE(size(account) >= 165 && account->data[108] != 0, NOT_INITIALIZED);
  REQUIRE(same(TOKEN_MINT(account), mint), WRONG_MINT);
  return 0;
}

/* ---- calls ---- */

static void call_begin(const u8 *program) {
  S->call.program = program;
  S->call.accounts = S->metas;
  S->call.account_count = 0;
  S->call.data = S->bytes;
  S->call.size = 0;
}
static void call_account(const u8 *key, int writable, int signer) {
  Meta *meta = &S->metas[S->call.account_count++];
  meta->key = key;
  meta->writable = writable;
  meta->signer = signer;
}
/* Begins a call, with a letter for each account as in `expect` and the accounts' indexes. */
static void call_with(const u8 *program, const char *letters, const u8 *at) {
  call_begin(program);
  for (u64 i = 0; letters[i]; i++) {
    char letter = letters[i];
    call_account(ACCOUNT(at[i])->key, letter == 'w' || letter == 'W', letter == 's' || letter == 'W');
  }
}
#define CALL(program, letters, ...) \
  do { const u8 at_[] = {__VA_ARGS__}; call_with(program, letters, at_); } while (0)
static void call_bytes(const u8 *bytes, u64 count) {
  copy(S->bytes + S->call.size, bytes, count);
  S->call.size += count;
}
static void call_number(u64 value, u64 bytes) {
  for (u64 i = 0; i < bytes; i++) S->bytes[S->call.size++] = value >> (8 * i);
}
/* Runs the call. Its changes are visible in the accounts afterwards. */
static u64 call_run(u64 signers) {
  for (u64 i = 0; i < S->count; i++) ACCOUNT(i)->size_when_loaded = size(ACCOUNT(i));
  return sol_invoke_signed_c(&S->call, S->accounts, S->count, &S->signer, signers);
}

static u64 rent(u64 bytes) {
  if (S->rent[0] == 0) sol_get_rent_sysvar(S->rent);
  /* Lamports per byte-year times the exemption threshold in years, a floating-point 2 or 1. */
  return (128 + bytes) * S->rent[0] * (S->rent[1] == 0x4000000000000000ULL ? 2 : 1);
}

static u64 pay(u64 from, u64 to, u64 lamports) {
  CALL(SYSTEM_PROGRAM, "Ww", from, to);
  call_number(2, 4);
  call_number(lamports, 8);
  return call_run(0);
}

/*
 * Creates a rent-exempt account for an owner. `signers` is 1 for the derived address of the state's seeds, 0 if the
 * account's key signed. Existing lamports count, as in Anchor.
 */
static u64 make_account(u64 payer, u64 index, u64 bytes, const u8 *owner, u64 signers) {
  Account *account = ACCOUNT(index);
  if (*account->lamports == 0) {
    CALL(SYSTEM_PROGRAM, "WW", payer, index);
    call_number(0, 4);
    call_number(rent(bytes), 8);
    call_number(bytes, 8);
    call_bytes(owner, 32);
    return call_run(signers);
  }
  u64 needed = rent(bytes);
  if (*account->lamports < needed) TRY(pay(payer, index, needed - *account->lamports));
  CALL(SYSTEM_PROGRAM, "W", index);
  call_number(8, 4);
  call_number(bytes, 8);
  TRY(call_run(signers));
  CALL(SYSTEM_PROGRAM, "W", index);
  call_number(1, 4);
  call_bytes(owner, 32);
  return call_run(signers);
}

/* Creates an account of this program at the address derived from the state's seeds, and writes its discriminator. */
static u64 make_own(u64 payer, u64 index, u64 bytes, u64 discriminator) {
  REQUIRE(is(index, derive_own()), WRONG_SEEDS);
  TRY(make_account(payer, index, bytes, S->program, 1));
  WORD(ACCOUNT(index)->data) = DISCRIMINATOR(discriminator);
  return 0;
}

/* Extends the data of an account of this program and pays the rent. */
static u64 grow(u64 payer, u64 index, u64 bytes) {
  Account *account = ACCOUNT(index);
  u64 needed = rent(bytes);
  if (*account->lamports < needed) TRY(pay(payer, index, needed - *account->lamports));
  WORD(account->data - 8) = bytes;
  return 0;
}

/* Creates a token account at the derived address of the state's seeds. */
static u64 make_vault(u64 payer, u64 index, u64 mint, const u8 *owner, const u8 *token_program) {
  u64 bytes = 165;
  /* A mint with a transfer fee requires space for withheld fees. */
  if (same(token_program, TOKEN_2022_PROGRAM)) {
    const Account *of = ACCOUNT(mint);
    u64 end = size(of);
    for (u64 at = 166; at + 4 <= end; at += 4 + SHORT(of->data + at + 2))
      if (SHORT(of->data + at) == 1) bytes = 178;
  }
  REQUIRE(is(index, derive_own()), WRONG_SEEDS);
  TRY(make_account(payer, index, bytes, token_program, 1));
  CALL(token_program, "wr", index, mint);
  call_number(18, 1); /* InitializeAccount3 */
  call_bytes(owner, 32);
  return call_run(0);
}

/* Creates the owner's associated token account if missing, and checks it. */
static u64 associated_account(u64 payer, u64 index, u64 mint, const u8 *owner, const u8 *token_program) {
  REQUIRE(is(index, associated(owner, token_program, ACCOUNT(mint)->key)), WRONG_ASSOCIATED);
  Account *account = ACCOUNT(index);
  if (!same(account->owner, SYSTEM_PROGRAM)) {
    TRY(check_token(index, ACCOUNT(mint)->key));
    REQUIRE(same(TOKEN_OWNER(account), owner), WRONG_TOKEN_OWNER);
    return 0;
  }
  CALL(ASSOCIATED_TOKEN_PROGRAM, "Ww", payer, index);
  call_account(owner, 0, 0);
  call_account(ACCOUNT(mint)->key, 0, 0);
  call_account(SYSTEM_PROGRAM, 0, 0);
  call_account(token_program, 0, 0);
  call_number(0, 1);
  return call_run(0);
}

/* Transfers tokens; `signers` is 1 if the authority is the derived address of the state's seeds. */
static u64 move_tokens(const u64 *from_mint_to_authority, u64 amount, u64 signers) {
  const u64 *at = from_mint_to_authority;
  if (amount == 0) return 0;
  CALL(ACCOUNT(at[0])->owner, "wrws", at[0], at[1], at[2], at[3]);
  call_number(12, 1); /* TransferChecked */
  call_number(amount, 8);
  call_number(MINT_DECIMALS(ACCOUNT(at[1])), 1);
  return call_run(signers);
}
#define MOVE(from, mint, to, authority, amount, signers) \
  do { \
    const u64 route_[4] = {from, mint, to, authority}; \
    TRY(move_tokens(route_, amount, signers)); \
  } while (0)

/* ---- time ---- */

typedef struct {
  u64 slot;
  u64 epoch_start;
  u64 epoch;
  u64 leader_epoch;
  u64 seconds;
} Clock;

/* Returns the slot or the Unix time in seconds, whichever the pool uses. */
static u64 now(int by_seconds) {
  Clock clock;
  sol_get_clock_sysvar(&clock);
  return by_seconds ? clock.seconds : clock.slot;
}
