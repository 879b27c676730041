/** Hostile tokens: Token-2022 extensions that leave another key in control of bought tokens (T27–T31). */

import { type EncodedInstruction, encodeInstruction } from '../../../../src/programs/instructions.ts';
import { addressBytes } from '../../../../src/transaction/base58.ts';
import { TOKEN_2022_PROGRAM } from '../../../../src/transaction/programs.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import { type TokenAsset, transfer } from '../../../service/build/tokens.ts';
import { withTransferFee } from '../../../service/records/transferFees.ts';
import { holdings, sweep } from '../assets.ts';
import { both, rewrite } from '../drafts.ts';
import { rewriteSwaps } from '../swaps.ts';
import type { Attack, Attacks, AttackTools, DraftHook } from '../types.ts';

const MAX_U64 = 2n ** 64n - 1n;

/** The token that the attacks change: the quote token of a sale, a Token-2022 token with a transfer fee. */
const target = ({ keys }: AttackTools): Address => keys.quoteMint('TAXQ').address;

/** The token of the sample trade, without freeze or mint authority. */
const sample = ({ keys }: AttackTools): Address => keys.tokenMint(0).address;

/** Restores a mint when the attack ends. */
const restored =
  (mint: (tools: AttackTools) => Address) =>
  (tools: AttackTools): (() => void) => {
    const { chain } = tools.onchain;
    const address = mint(tools);
    const before = chain.getAccount(address);
    return () => chain.setAccount(address, before);
  };

/** Changes the data of a mint after a trade is built, as its issuer could. */
const changes =
  (
    mint: (tools: AttackTools) => Address,
    change: (data: Uint8Array, tools: AttackTools) => Uint8Array,
  ): DraftHook =>
  (draft, _, tools) => {
    const { chain } = tools.onchain;
    const address = mint(tools);
    const before = chain.getAccount(address);
    if (before !== null) {
      const data = change(before.data, tools);
      chain.setAccount(address, { ...before, data, lamports: chain.rent(data.length) });
    }
    return draft;
  };

/** Adds an extension to a mint. */
function extended(data: Uint8Array, type: number, value: Uint8Array): Uint8Array {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(value.length, 2);
  return Uint8Array.from([...data, ...head, ...value]);
}

const bytes = (...parts: readonly (Uint8Array | readonly number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
const ZERO = new Uint8Array(32);
/** The state of a frozen account. */
const FROZEN = Uint8Array.of(2);
const key = ({ attacker }: AttackTools) => addressBytes(attacker.address);

/** The wallet's holding of the target after the purchase. */
function bought(wallet: Address, tools: AttackTools) {
  return holdings(tools.onchain, wallet).find(({ mint }) => mint === target(tools));
}

const token = (
  row: string,
  does: string,
  takes: string,
  type: number,
  value: (tools: AttackTools) => Uint8Array,
  afterwards?: (wallet: Address, tools: AttackTools) => readonly EncodedInstruction[],
): Attack => ({
  row,
  plays: 'token',
  does,
  takes,
  code: 'TOKEN_EXTENSION_DENIED',
  endpoints: ['tradeSwap'],
  begin: restored(target),
  draft: changes(target, (data, tools) => extended(data, type, value(tools))),
  ...(afterwards === undefined ? {} : { afterwards }),
});

/** The extension's instruction that pauses every transfer of a token. */
function pause(tools: AttackTools): EncodedInstruction[] {
  const accounts = { mint: target(tools), authority: tools.attacker.address };
  return [encodeInstruction('pausable.pause', { accounts })];
}

/** Freezes the wallet's account of a token. */
const freezes =
  (mint: (tools: AttackTools) => Address) =>
  (wallet: Address, tools: AttackTools): EncodedInstruction[] => {
    const { onchain, attacker } = tools;
    const held = holdings(onchain, wallet).find((each) => each.mint === mint(tools));
    const program = onchain.mint(mint(tools))?.tokenProgram;
    if (held === undefined || program === undefined) return [];
    const accounts = { account: held.account, mint: held.mint, freezeAuthority: attacker.address };
    return [encodeInstruction('token.freezeAccount', { program, accounts })];
  };

/** Gives a token a freeze authority. */
function freezable(data: Uint8Array, tools: AttackTools): Uint8Array {
  const changed = Uint8Array.from(data);
  new DataView(changed.buffer).setUint32(46, 1, true);
  changed.set(key(tools), 50);
  return changed;
}

/** Transfers a token with a transfer fee, without stating the fee. */
const withoutStatedFee: DraftHook = (draft) =>
  rewrite(draft, 'transferFee.transferCheckedWithFee', ({ accounts, args }) => {
    const { source, mint, destination, authority } = accounts;
    const { decimals, amount } = args;
    const plain: TokenAsset = { mint: mint.address, tokenProgram: TOKEN_2022_PROGRAM, decimals };
    return [transfer(plain, source.address, destination.address, authority.address, amount)];
  });

export const tokenAttacks: Attacks = {
  'permanent-delegate': token(
    'T27',
    'is a token over which the attacker holds a permanent delegation',
    'everything that was bought, at any time',
    12,
    key,
    (wallet, tools) => {
      const held = bought(wallet, tools);
      return held === undefined ? [] : sweep(tools, held, tools.attacker.address, tools.attacker.address);
    },
  ),
  'transfer-hook': token(
    'T28',
    'is a token whose transfers run a program that the attacker may choose later',
    'the use of what was bought: the next hook can refuse every sale',
    14,
    (tools) => bytes(key(tools), ZERO),
    (_, tools) => [
      encodeInstruction('transferHook.update', {
        accounts: { mint: target(tools), authority: tools.attacker.address },
        args: { hookProgram: tools.attacker.address },
      }),
    ],
  ),
  'transfer-fee-raised': {
    row: 'T29',
    plays: 'token',
    does: 'raises the token’s transfer fee before the trade lands, with a minimum that allows for it and no fee in the transaction',
    takes: 'half of the expected proceeds',
    code: 'UNDECLARED_LOSS',
    endpoints: ['tradeSwap'],
    begin: restored(target),
    draft: both(
      changes(target, (data) => withTransferFee(data, 5_000, MAX_U64) ?? data),
      withoutStatedFee,
      (draft) => rewriteSwaps(draft, ({ minOut }) => ({ minOut: minOut / 3n })),
    ),
  },
  'confidential-transfer': token(
    'T30',
    'is a token whose amounts can be hidden from all but its issuer',
    'the means to see what arrives',
    4,
    (tools) => bytes(key(tools), [1], ZERO),
  ),
  'non-transferable': token(
    'T31',
    'is a token that can never be passed on',
    'the use of what was bought: no account made from now on can pass it on',
    9,
    () => new Uint8Array(),
  ),
  'unknown-extension': token(
    'T31',
    'is a token with an extension that this version does not know',
    'whatever the extension lets the attacker do',
    999,
    key,
  ),
  pausable: token(
    'T31',
    'is a token whose transfers the attacker can stop',
    'the use of what was bought',
    26,
    (tools) => bytes(key(tools), [0]),
    (_, tools) => pause(tools),
  ),
  'frozen-by-default': {
    ...token(
      'T31',
      'is a token whose accounts begin frozen, and whose issuer can freeze any of them',
      'the use of what was bought',
      6,
      () => FROZEN,
      freezes(target),
    ),
    draft: changes(target, (data, tools) => freezable(extended(data, 6, FROZEN), tools)),
  },
  'issuer-can-freeze': {
    row: 'T180',
    plays: 'token',
    does: 'offers a token whose issuer can freeze the account of every holder',
    takes: 'the use of the bought tokens, which may never be sold',
    code: 'ISSUER_POWER',
    endpoints: ['tradeSwap'],
    begin: restored(sample),
    draft: changes(sample, freezable),
    afterwards: freezes(sample),
  },
};
