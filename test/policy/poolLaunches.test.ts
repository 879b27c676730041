/**
 * A pool launch with one change at a time in each of its three stages: the token, its supply and name, the pool and its
 * positions, and the acts of other keys (T93).
 */

import { describe, expect, it } from 'vitest';
import { closeAccount, createAta, systemTransfer } from '../../sandbox/service/build/tokens.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { feeShareAuthorityAddress } from '../../src/programs/feeShare/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { tokenAccount } from './accountFacts.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { instructionOf, plus, withAccounts, withArgs, without, withRequest } from './recorded/edits.ts';
import { readOf, withRead } from './recorded/operands.ts';
import { ATTACKER, policyFor, rewritten, stage, stated, WALLET } from './recorded/stages.ts';

const token = stage('direct launch, token');
const pool = stage('direct launch');
const end = stage('direct launch, end');
const custody = stage('custody launch');

const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';
const MATCHES = 'REQUEST_MISMATCH: matchesRequest';
const MINT = String(pool.plan.request.tokenMint);
const [METADATA, OPEN, POSITION, ADD, LOCK, SWAP] = [
  'metaplex.createMetadataAccountV3',
  'dammV2.initializeCustomizablePool',
  'dammV2.createPosition',
  'dammV2.addLiquidity',
  'dammV2.permanentLockPosition',
  'dammV2.swap2',
];
/** Removes the `nth` instruction of a program's own kind. */
const lacking = (inputs: DecisionInputs, kind: string, nth = 0): DecisionInputs => {
  const { at } = readOf(inputs, kind, nth);
  return rewritten(inputs, (list) => list.filter((_, i) => i !== at));
};
const creator = instructionOf(token, 'token.mintTo').accounts.mintAuthority.address;

describe('T142 the pool of a launch', () => {
  it('has no vault that buys first, and trades at once', () => {
    const opened = (args: Record<string, unknown>): string =>
      decisionText(withRead(pool, OPEN ?? '', { args }));
    expect(opened({})).toMatch(/^allow/);
    const first = `${MATCHES} firstTrader`;
    expect(opened({ hasAlphaVault: true })).toContain(first);
    expect(opened({ activationPoint: 4_000_000_000n })).toContain(first);
  });
});

describe('the launched token', () => {
  it('is the requested one, with its decimals and no freeze authority', () => {
    expect(decisionText(token)).toMatch(/^allow/);
    const made = (args: object): string => decisionText(withArgs(token, 'token.initializeMint2', args));
    expect(made({ decimals: 9 })).toContain(`${MATCHES} tokenDecimals (9; allowed 6)`);
    expect(made({ freezeAuthority: ATTACKER })).toContain(`${MATCHES} tokenFreezer (ATTACKER; allowed none)`);
    expect(made({ mintAuthority: WALLET })).toContain(`${MATCHES} tokenMinter (WALLET)`);
    finds(
      withAccounts(token, 'token.initializeMint2', { mint: ATTACKER }),
      `${MATCHES} createdToken (ATTACKER; allowed`,
    );
  });

  it('is an account of a token program, with no more lamports than a large mint needs, paid by the wallet', () => {
    const rent = (bytes: number) =>
      BigInt(token.rent.lamportsPerByteYearTimesExemption) * BigInt(token.rent.overheadBytes + bytes);
    const made = (args: object): string => decisionText(withArgs(token, 'system.createAccount', args));
    expect(made({ lamports: rent(512) })).not.toContain('tokenRent');
    expect(made({ lamports: rent(512) + 1n })).toContain(`${MATCHES} tokenRent`);
    expect(made({ owner: SYSTEM_PROGRAM })).toContain(`${MATCHES} accountKind`);
    expect(made({ owner: TOKEN_2022_PROGRAM })).not.toContain('accountKind');
    for (const role of ['payer', 'newAccount'])
      finds(withAccounts(token, 'system.createAccount', { [role]: ATTACKER }), UNEXPECTED);
  });

  it('has the requested immutable name and link, paid for by the wallet', () => {
    const named = (args: Record<string, unknown>): string =>
      decisionText(withRead(token, METADATA ?? '', { args }));
    const by = (accounts: Record<string, string>): string =>
      decisionText(withRead(token, METADATA ?? '', { accounts }));
    expect(named({ uri: 'ipfs://another' })).toContain(`${MATCHES} metadataLink`);
    expect(named({ isMutable: true })).toContain(`${MATCHES} mutableName (true; allowed false)`);
    expect(by({ updateAuthority: WALLET })).toContain(`${MATCHES} nameAuthority (WALLET)`);
    expect(by({ payer: ATTACKER })).toContain(`${MATCHES} namePayer (ATTACKER; allowed WALLET)`);
    expect(by({ mint: ATTACKER })).toContain(`${MATCHES} namedToken (ATTACKER; allowed`);
    finds(lacking(token, METADATA ?? ''), `REQUEST_MISMATCH: partThere tokenName (0 times; allowed 1 times)`);
    finds(withRequest(token, { ipfs: undefined }), `${MATCHES} metadataLink`);
  });

  it.each([
    ['a creator', { creators: [{ address: ATTACKER, verified: false, share: 100 }] }, `"address":"ATTACKER"`],
    ['royalties', { sellerFeeBasisPoints: 10_000 }, '"sellerFeeBasisPoints":10000'],
    ['uses', { uses: { useMethod: 'burn', remaining: 5n, total: 5n } }, '"useMethod":"burn"'],
    ['a collection', { collection: { verified: false, key: ATTACKER } }, `"key":"ATTACKER"`],
  ])('asks if its metadata has %s, and states it (T137)', (_, args, part) => {
    const changed = withRead(token, METADATA ?? '', { args });
    expect(decisionText(changed)).toMatch(/^require_approval\s+TERM_DIFFERS: metadataFields/);
    const lines = JSON.stringify(stated(changed, policyFor('')).statement).replaceAll(ATTACKER, 'ATTACKER');
    expect(lines.replaceAll('\\"', '"')).toContain(part);
  });

  it('is minted once, by a key other than ours, and never again', () => {
    const supply = { mint: MINT, account: ATTACKER, mintAuthority: creator };
    finds(without(token, 'token.mintTo'), `REQUEST_MISMATCH: partThere supply (0 times; allowed 1 times)`);
    finds(withAccounts(token, 'token.mintTo', { mintAuthority: WALLET }), `${MATCHES} tokenMinter (WALLET)`);
    finds(
      withAccounts(token, 'token.mintTo', { mint: ATTACKER }),
      `${MATCHES} mintedToken (ATTACKER; allowed`,
    );
    finds(
      plus(token, encodeInstruction('token.mintTo', { accounts: supply, args: { amount: 1n } })),
      UNEXPECTED,
    );
    finds(
      without(token, 'token.setAuthority'),
      `REQUEST_MISMATCH: partThere endOfMinting (0 times; allowed 1 times)`,
    );
    const ends = (args: object): string => decisionText(withArgs(token, 'token.setAuthority', args));
    expect(ends({ newAuthority: ATTACKER })).toContain(`${MATCHES} laterMinter (ATTACKER; allowed none)`);
    expect(ends({ authorityType: 'freezeAccount' })).toContain(`${MATCHES} revokedRight`);
    finds(withAccounts(token, 'token.setAuthority', { owned: ATTACKER }), UNEXPECTED);
  });

  it('goes entirely into the pool, except a thousandth for rounding', () => {
    const WHOLE = 'REQUEST_MISMATCH: supplyPooled';
    const minting = (amount: bigint): string => decisionText(withArgs(token, 'token.mintTo', { amount }));
    const supply = instructionOf(token, 'token.mintTo').args.amount;
    // The pool's deposit follows from its liquidity; the recorded one takes the whole supply, or one unit less.
    const most = (supply * 1_000n) / 999n;
    expect(minting(supply)).not.toContain(WHOLE);
    expect(minting(most - 5n)).not.toContain(WHOLE);
    expect(minting(most + 5n)).toContain(WHOLE);
    expect(minting(0n)).toContain(WHOLE);
    finds(
      withAccounts(token, 'token.mintTo', { account: ATTACKER }),
      'REQUEST_MISMATCH: supplyMinted (ATTACKER)',
    );
  });

  it('has one account for its supply, which the wallet may pay for', () => {
    const opens = (owner: string, payer = WALLET, mint = MINT) =>
      createAta(payer, owner, { mint, tokenProgram: TOKEN_PROGRAM });
    finds(plus(token, opens(creator)), UNEXPECTED);
    const alone = without(token, 'associatedToken.createIdempotent');
    findsNot(plus(alone, opens(creator)), UNEXPECTED);
    finds(plus(alone, opens(ATTACKER)), UNEXPECTED);
    finds(plus(alone, opens(creator, WALLET, WSOL_MINT)), UNEXPECTED);
    // Another key pays for its own account, twice.
    findsNot(plus(token, opens(ATTACKER, creator), opens(creator, creator)), UNEXPECTED);
    finds(plus(token, ...[ATTACKER, creator, WALLET].map((owner) => opens(owner, creator))), UNEXPECTED);
  });
});

describe('the pool of a launch', () => {
  const by = (kind: string | undefined, accounts: Record<string, string>, nth = 0): string =>
    decisionText(withRead(pool, kind ?? '', { accounts }, nth));
  const of = (kind: string | undefined, args: Record<string, unknown>, nth = 0): string =>
    decisionText(withRead(pool, kind ?? '', { args }, nth));

  it('is opened once, for the token in the requested quote, by a key other than ours', () => {
    expect(decisionText(pool)).toMatch(/^allow/);
    expect(by(OPEN, { tokenAMint: ATTACKER })).toContain(`${MATCHES} launchedToken (ATTACKER; allowed`);
    expect(by(OPEN, { tokenBMint: ATTACKER })).toContain(`${MATCHES} poolQuote (ATTACKER; allowed So1111…)`);
    expect(by(OPEN, { creator: WALLET })).toContain(`${MATCHES} poolCreator (WALLET)`);
    finds(lacking(pool, OPEN ?? ''), `REQUEST_MISMATCH: partThere launch (0 times; allowed 1 times)`);
  });

  it.each([
    ['position', POSITION],
    ['liquidity', ADD],
    ['lock', LOCK],
  ])('is the one used by every %s', (_, kind) => {
    expect(by(kind, { pool: ATTACKER })).toMatch(/matchesRequest pool \(ATTACKER; allowed \w+…\)/);
  });

  it('takes nothing from the wallet except for rounding', () => {
    const ADDS = `${MATCHES} poolDeposit`;
    const from = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
    const ours = (tokenBAmountThreshold: bigint): string =>
      decisionText(
        withRead(pool, ADD ?? '', { accounts: { tokenBAccount: from }, args: { tokenBAmountThreshold } }),
      );
    expect(ours(1_000n)).not.toContain(ADDS);
    expect(ours(1_001n)).toContain(`${ADDS} (0.000001001 SOL; allowed 0.000001 SOL)`);
    // Another key may add any amount of its own.
    expect(of(ADD, { tokenBAmountThreshold: 5_000_000_000n })).not.toContain(ADDS);
  });

  it('locks all of its liquidity permanently', () => {
    const LOCKED = 'REQUEST_MISMATCH: liquidityLocked';
    const { permanentLockLiquidity } = readOf(pool, LOCK ?? '').named.args;
    const all = BigInt(String(permanentLockLiquidity));
    expect(of(LOCK, { permanentLockLiquidity: all - 1n })).toContain(`${LOCKED} (99.9999% locked; allowed`);
    expect(of(LOCK, { permanentLockLiquidity: all + 1n })).toContain(LOCKED);
    expect(of(LOCK, { permanentLockLiquidity: all / 2n })).toContain(`${LOCKED} (50% locked; allowed`);
    finds(lacking(pool, LOCK ?? '', 1), `${LOCKED} (0% locked; allowed`);
    expect(decisionText(lacking(pool, ADD ?? ''))).toMatch(/liquidityLocked \(\d+ of 0 locked/);
  });

  it('gives its fee share a position with half of the liquidity, in either rounding', () => {
    const HALF = 'REQUEST_MISMATCH: feeShareHalf';
    const halves = (theirs: bigint, other: bigint): string => {
      const added = withRead(pool, ADD ?? '', { args: { liquidityDelta: theirs } });
      const opened = withRead(added, OPEN ?? '', { args: { liquidity: other } });
      const first = withRead(opened, LOCK ?? '', { args: { permanentLockLiquidity: other } });
      return decisionText(withRead(first, LOCK ?? '', { args: { permanentLockLiquidity: theirs } }, 1));
    };
    const whole = BigInt(String(readOf(pool, ADD ?? '').named.args.liquidityDelta)) * 2n;
    expect(halves(whole / 2n, whole / 2n)).not.toContain(HALF);
    expect(halves(whole / 2n - 1n, whole / 2n)).not.toContain(HALF);
    expect(halves(whole / 2n - 2n, whole / 2n)).toContain(`${HALF} (49.9999%; allowed`);
    expect(decisionText(end)).toMatch(/^allow/);
    const gone = { ...pool, siblings: pool.siblings.filter(({ stage: { id } }) => id !== 'launch-3') };
    finds(gone, `${HALF} (no position; allowed`);
    // A position opened for the fee share needs no hand-over, and a hand-over of nothing counts as none.
    const share = feeShareAuthorityAddress(MINT, WSOL_MINT);
    findsNot(withRead(gone, POSITION ?? '', { accounts: { owner: share } }), HALF);
    const nothing = withArgs(end, 'token.transferChecked', { amount: 0n }).stage;
    const empty = {
      ...pool,
      siblings: pool.siblings.map((each) =>
        each.stage.id === 'launch-3' ? { ...each, stage: nothing } : each,
      ),
    };
    finds(empty, `${HALF} (no position; allowed`);
  });

  it('is filled before the first buy, whose price the rest of the supply would change', () => {
    const swap = readOf(pool, SWAP ?? '').at;
    const [add] = [readOf(pool, ADD ?? '').at];
    const early = rewritten(pool, (list) => [
      ...list.slice(0, add),
      ...list.slice(swap - 1, swap + 1),
      ...list.slice(add, swap - 1),
      ...list.slice(swap + 1),
    ]);
    finds(early, 'REQUEST_MISMATCH: supplyPooled (liquidity after the first buy; allowed');
  });

  it('costs the wallet nothing for accounts it does not pay for itself', () => {
    expect(by(POSITION, { payer: WALLET })).toContain(UNEXPECTED);
    const paid = withRead(pool, OPEN ?? '', { accounts: { payer: WALLET } });
    findsNot(withRead(paid, POSITION ?? '', { accounts: { payer: WALLET } }), UNEXPECTED);
    expect(by(POSITION, { payer: ATTACKER })).not.toContain(UNEXPECTED);
  });
});

describe('the position of the fee share', () => {
  const KIND = 'associatedToken.createIdempotent';

  it("is transferred by its holder, one unit, to the fee share's account", () => {
    const move = (roles: Record<string, string>): string =>
      decisionText(withAccounts(end, 'token.transferChecked', roles));
    finds(withArgs(end, 'token.transferChecked', { amount: 2n }), `${MATCHES} positionCount (2; allowed 1)`);
    expect(move({ destination: ATTACKER })).toContain(`${MATCHES} positionOwner (ATTACKER; allowed`);
    expect(move({ authority: WALLET })).toContain(UNEXPECTED);
    expect(move({ mint: ATTACKER, destination: WALLET })).toContain(UNEXPECTED);
  });

  it('goes into an account created for it, paid by another key or by the wallet that paid for the pool', () => {
    const opened = instructionOf(end, KIND).accounts;
    finds(withAccounts(end, KIND, { payer: WALLET }), UNEXPECTED);
    findsNot(withAccounts(end, KIND, { payer: ATTACKER }), UNEXPECTED);
    const paid = withRead(pool, OPEN ?? '', { accounts: { payer: WALLET } });
    const own = {
      ...end,
      siblings: end.siblings.map((each) =>
        each.stage.id === 'launch-2' ? { ...each, stage: paid.stage } : each,
      ),
    };
    findsNot(withAccounts(own, KIND, { payer: WALLET }), UNEXPECTED);
    const elsewhere = associatedTokenAddress(ATTACKER, opened.mint.address, TOKEN_2022_PROGRAM);
    finds(
      withAccounts(own, KIND, { payer: WALLET, owner: ATTACKER, associatedToken: elsewhere }),
      UNEXPECTED,
    );
  });
});

describe('actions of other keys beside a launch', () => {
  const pays = (from: string, to: string) => systemTransfer(from, to, 1n);
  const closes = (account: string, owner: string) => closeAccount(TOKEN_PROGRAM, account, owner, owner);

  it('use their own assets: they wrap SOL twice and unwrap it twice, without a key or an account of ours', () => {
    const theirs = associatedTokenAddress(creator, WSOL_MINT, TOKEN_PROGRAM);
    const wrap = pays(creator, theirs);
    const unwrap = closes(theirs, creator);
    findsNot(plus(end, wrap, wrap, unwrap, unwrap), UNEXPECTED);
    finds(plus(end, wrap, wrap, wrap), UNEXPECTED);
    finds(plus(end, unwrap, unwrap, unwrap), UNEXPECTED);
    finds(plus(end, pays(WALLET, theirs)), UNEXPECTED);
    const ours = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
    const held = {
      ...end,
      accounts: [
        ...end.accounts.filter(({ address }) => address !== ours),
        tokenAccount(ours, { mint: WSOL_MINT, owner: WALLET, closeAuthority: creator }),
      ],
    };
    finds(plus(held, closes(ours, creator)), UNEXPECTED);
  });
});

describe('a custody launch', () => {
  const name = 'custody launch';
  const right = (nth: number, change: Record<string, string>, args: object = {}): string =>
    decisionText(
      withArgs(withAccounts(custody, 'token.setAuthority', change, nth), 'token.setAuthority', args, nth),
      name,
    );

  it('transfers the positions of its own pool, and no right of ours', () => {
    findsNot(custody, UNEXPECTED, name);
    expect(right(0, { owned: ATTACKER })).toContain(UNEXPECTED);
    expect(right(0, { authority: WALLET })).toContain(UNEXPECTED);
    expect(right(0, {}, { authorityType: 'closeAccount' })).toContain(UNEXPECTED);
    expect(right(1, {}, { newAuthority: ATTACKER })).not.toContain(UNEXPECTED);
  });
});
