/*
 * Stand-in for Token Metadata (Metaplex): CreateMetadataAccountV3 only. The account has the original's size and
 * fields, and costs 10,000,000 lamports above its rent.
 */
#include "program.h"

#define METADATA_BYTES 679
#define FEE_LAMPORTS 10000000ULL
#define KEY_METADATA 4

enum {
  INVALID_METADATA_KEY = 5,
  NOT_MINT_AUTHORITY = 9,
  OTHER_MINT_AUTHORITY = 10,
  NAME_TOO_LONG = 11,
  SYMBOL_TOO_LONG = 12,
  URI_TOO_LONG = 13,
  BAD_INSTRUCTION = 101,
};
#define MISSING_SIGNATURE 0x800000000ULL

/* Copies the next text of the data into a length-prefixed field of fixed size. */
static u64 text(u8 *field, u64 most, u64 code) {
  TAKE(length, 4);
  REQUIRE(HALF(length) <= most, code);
  TAKE(bytes, HALF(length));
  HALF(field) = most;
  copy(field + 4, bytes, HALF(length));
  return 0;
}

static u64 create_metadata(void) {
  enum { METADATA, MINT, AUTHORITY, PAYER, UPDATE, SYSTEM };
  REQUIRE(S->count >= 6, TOO_FEW_ACCOUNTS);
  seeds_begin();
  SEED_TEXT("metadata");
  SEED_KEY(S->program);
  SEED_KEY(ACCOUNT(MINT)->key);
  REQUIRE(is(METADATA, derive_own()), INVALID_METADATA_KEY);
  REQUIRE(ACCOUNT(PAYER)->signer, MISSING_SIGNATURE);
  const Account *mint = ACCOUNT(MINT);
  REQUIRE(is_token_program(mint->owner) && size(mint) >= 82 && mint->data[45], NOT_INITIALIZED);
  REQUIRE(HALF(mint->data) == 1 && is(AUTHORITY, mint->data + 4), OTHER_MINT_AUTHORITY);
  REQUIRE(ACCOUNT(AUTHORITY)->signer, NOT_MINT_AUTHORITY);
  TRY(make_account(PAYER, METADATA, METADATA_BYTES, S->program, 1));
  TRY(pay(PAYER, METADATA, FEE_LAMPORTS));

  u8 *data = ACCOUNT(METADATA)->data;
  data[0] = KEY_METADATA;
  copy_key(data + 1, ACCOUNT(UPDATE)->key);
  copy_key(data + 33, mint->key);
  TRY(text(data + 65, 32, NAME_TOO_LONG));
  TRY(text(data + 101, 10, SYMBOL_TOO_LONG));
  TRY(text(data + 115, 200, URI_TOO_LONG));
  TAKE(rest, 7); /* royalty 2, creators, collection, uses, mutable, collection details */
  REQUIRE(!rest[2] && !rest[3] && !rest[4] && !rest[6], BAD_INSTRUCTION);
  SHORT(data + 319) = SHORT(rest);
  data[323] = rest[5];
  seeds_begin();
  SEED_TEXT("metadata");
  SEED_KEY(S->program);
  SEED_KEY(mint->key);
  SEED_TEXT("edition");
  derive_own();
  data[324] = 1, data[325] = S->bump;
  /* A token with decimals is fungible, one without is a fungible asset. */
  data[326] = 1, data[327] = mint->data[44] ? 2 : 1;
  data[METADATA_BYTES - 1] = 1; /* the fee was paid */
  return 0;
}

u64 entrypoint(u8 *input) {
  load(input);
  const u8 *kind = take(1);
  REQUIRE(kind && *kind == 33, BAD_INSTRUCTION);
  return create_metadata();
}
