/** Attacks on trades and first buys: less arrives, more leaves, or another token comes (T19, T20, T25, T26, T64). */

import type { EncodedInstruction } from '../../../programs/instructions.ts';
import { codeOf, deploy } from '../../../sandbox/programs/deploy.ts';
import { budgetFor } from '../../../sandbox/service/build/compile.ts';
import {
  ata,
  createAta,
  createMetadataMint,
  metadataBytes,
  mintTo,
  POINTER_MINT_BYTES,
  systemTransfer,
  TOKEN_ACCOUNT_BYTES,
  type TokenAsset,
  transfer,
} from '../../../sandbox/service/build/tokens.ts';
import { addressBytes } from '../../../transaction/base58.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { rewrite } from '../drafts.ts';
import { LOOT, lair, lookalike } from '../loot.ts';
import {
  type Attacks,
  type AttackTools,
  type DraftHook,
  type DraftPlace,
  type Fields,
  service,
} from '../types.ts';

/** The transfer that brings the wallet what it bought. */
interface Delivery {
  readonly asset: TokenAsset;
  readonly source: Address;
  /** The wallet's own account. */
  readonly own: Address;
  readonly authority: Address;
  readonly amount: bigint;
}

/** Rewrites the delivery of a trade; `undefined` leaves it as it is. */
const delivery =
  (
    change: (
      delivery: Delivery,
      place: DraftPlace,
      tools: AttackTools,
    ) => readonly EncodedInstruction[] | undefined,
  ): DraftHook =>
  (draft, place, tools) =>
    rewrite(draft, 'token.transferChecked', ({ program, accounts, args }) => {
      const asset = { mint: accounts.mint.address, tokenProgram: program, decimals: args.decimals };
      const own = ata(place.wallet, asset);
      const [source, authority] = [accounts.source.address, accounts.authority.address];
      if (accounts.destination.address !== own || source === own) return undefined;
      return change({ asset, source, own, authority, amount: args.amount }, place, tools);
    });

/** Delivers a share of what was promised, in per cent. */
const delivers = (percent: bigint): DraftHook =>
  delivery(({ asset, source, own, authority, amount }) => [
    transfer(asset, source, own, authority, (amount * percent) / 100n),
  ]);

/** A token that is only called like the real one. The attacker holds all of it. */
function makeFake(tools: AttackTools): undefined {
  const { attacker, onchain, fund } = tools;
  const fake = lair(tools, 'fake mint');
  const asset = { mint: fake.address, tokenProgram: TOKEN_2022_PROGRAM };
  if (onchain.mint(fake.address) !== undefined) return undefined;
  const [name, symbol, uri] = ['Harbor Light', 'HARBOR', 'https://sandbox.example/harbor.json'] as const;
  fund(attacker.address, LOOT);
  onchain.land({
    format: 'v0',
    feePayer: attacker.address,
    instructions: [
      ...createMetadataMint({
        payer: attacker.address,
        mint: fake.address,
        authority: attacker.address,
        decimals: 6,
        name,
        symbol,
        uri,
        lamports: onchain.rent(POINTER_MINT_BYTES + metadataBytes(name, symbol, uri, [])),
      }),
      createAta(attacker.address, attacker.address, asset),
      mintTo(asset.tokenProgram, fake.address, ata(attacker.address, asset), attacker.address, 2n ** 63n),
    ],
    budget: budgetFor(6),
    signers: [attacker, fake],
  });
  return undefined;
}

const fakeToken = (tools: AttackTools): TokenAsset => ({
  mint: lair(tools, 'fake mint').address,
  tokenProgram: TOKEN_2022_PROGRAM,
  decimals: 6,
});

/** A token program of the attacker's own: the real code under an address that reads like the real one. */
const FAKE_PROGRAM = lookalike(TOKEN_PROGRAM);

/** A token account as the fake program keeps it. */
function fakeAccount(
  { onchain: { chain } }: AttackTools,
  address: Address,
  state: { mint: Address; owner: Address; amount: bigint; delegate?: Address },
): void {
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES);
  data.set(addressBytes(state.mint), 0);
  data.set(addressBytes(state.owner), 32);
  data.writeBigUInt64LE(state.amount, 64);
  if (state.delegate !== undefined) {
    data.writeUInt32LE(1, 72);
    data.set(addressBytes(state.delegate), 76);
    data.writeBigUInt64LE(state.amount, 121);
  }
  data.writeUInt8(1, 108);
  chain.setAccount(address, {
    lamports: chain.rent(data.length),
    owner: FAKE_PROGRAM,
    executable: false,
    data: new Uint8Array(data),
  });
}

/** Pays the pool as before and delivers in accounts that only the fake program calls tokens. */
const deliverByFakeProgram = delivery(({ asset, amount }, { wallet }, tools) => {
  const fake = { ...asset, tokenProgram: FAKE_PROGRAM };
  const source = lair(tools, 'fake escrow').address;
  const own = ata(wallet, fake);
  const { mint } = asset;
  fakeAccount(tools, source, { mint, owner: tools.attacker.address, amount, delegate: wallet });
  fakeAccount(tools, own, { mint, owner: wallet, amount: 0n });
  return [{ ...transfer(asset, source, own, wallet, amount), programAddress: FAKE_PROGRAM }];
});

/** Amounts of a quote, times a factor in per cent. */
function quoted(answer: unknown, names: readonly string[], percent: bigint): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const fields: Fields = { ...answer };
  const changed = names.map((name) => [name, String((BigInt(String(fields[name])) * percent) / 100n)]);
  return { ...fields, ...Object.fromEntries(changed) };
}

/** Everything the wallet pays into a trade, times a factor. */
const pays =
  (factor: bigint): DraftHook =>
  (draft, { wallet }) => {
    const own = ata(wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM });
    const wrapped = rewrite(draft, 'system.transfer', ({ accounts, args }) =>
      accounts.to.address === own ? [systemTransfer(wallet, own, args.lamports * factor)] : undefined,
    );
    return rewrite(wrapped, 'token.transferChecked', ({ program, accounts, args }) => {
      const asset = { mint: accounts.mint.address, tokenProgram: program, decimals: args.decimals };
      const { source, destination } = accounts;
      if (source.address !== ata(wallet, asset)) return undefined;
      return [transfer(asset, source.address, destination.address, wallet, args.amount * factor)];
    });
  };

/** The id of the first quote since the attack began. */
let firstId: unknown;

export const tradeAttacks: Attacks = {
  'fake-token-program': service({
    row: 'T19',
    does: 'delivers through a token program of its own whose address reads like the real one',
    takes: 'the whole input of the trade',
    code: 'PROGRAM_NOT_ALLOWED',
    endpoints: ['tradeSwap'],
    begin: (tools) => {
      const { chain } = tools.onchain;
      deploy(chain, FAKE_PROGRAM, codeOf(chain, TOKEN_PROGRAM));
      return undefined;
    },
    draft: deliverByFakeProgram,
  }),
  'fake-mint': service({
    row: 'T20',
    does: 'delivers another token of the same name and symbol',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    begin: makeFake,
    draft: (draft, place, tools) => {
      const fake = fakeToken(tools);
      const changed = delivery(({ amount }, { wallet }, { attacker }) => [
        createAta(wallet, wallet, fake),
        transfer(fake, ata(attacker.address, fake), ata(wallet, fake), attacker.address, amount),
      ])(draft, place, tools);
      return { ...changed, signers: [...draft.signers, tools.attacker] };
    },
  }),
  'less-arrives': service({
    row: 'T25',
    does: 'delivers half of what its quote promised at least',
    takes: 'half of what was bought',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: delivers(50n),
  }),
  'nothing-arrives': service({
    row: 'T25',
    does: 'takes the input and delivers nothing',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: delivery(() => []),
  }),
  'delivered-elsewhere': service({
    row: 'T25',
    does: 'delivers what was bought to the attacker',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap', 'dammLaunch', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: delivery(({ asset, source, authority, amount }, { wallet }, { attacker }) => [
      createAta(wallet, attacker.address, asset),
      transfer(asset, source, ata(attacker.address, asset), authority, amount),
    ]),
  }),
  'first-buy-inflated': service({
    row: 'T26',
    does: 'makes the first buy of a launch ten times as large as asked',
    takes: 'nine times the first buy',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunch', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: pays(10n),
  }),
  'first-buy-overpriced': service({
    row: 'T26',
    does: 'delivers a tenth of the tokens that the first buy of a launch is worth',
    takes: 'nine tenths of the first buy',
    code: 'LIMIT_EXCEEDED',
    endpoints: ['dammLaunch', 'dammLaunchV2'],
    draft: delivers(10n),
  }),
  'quote-inflated': service({
    row: 'T64',
    does: 'quotes five times the amount that was asked about, and builds the swap to match',
    takes: 'four times the input',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeQuote', 'tradeSwap'],
    draft: pays(5n),
    answer: (answer, _, __, endpoint) =>
      endpoint === 'tradeQuote' ? quoted(answer, ['inAmount'], 500n) : answer,
  }),
  'quote-poisoned': service({
    row: 'T64',
    does: 'quotes a tenth of the real price, and builds the swap to match',
    takes: 'nine tenths of what the input is worth',
    code: 'LIMIT_EXCEEDED',
    endpoints: ['tradeQuote', 'tradeSwap'],
    draft: delivers(10n),
    answer: (answer, _, __, endpoint) =>
      endpoint === 'tradeQuote' ? quoted(answer, ['outAmount', 'minOutAmount'], 10n) : answer,
  }),
  'quote-id-reused': service({
    row: 'T68',
    does: 'gives a second quote the id of the first, so that a swap that breaks the first would fit the second',
    takes: 'the difference between both quotes',
    code: 'QUOTE_CONFLICT',
    endpoints: ['tradeQuote'],
    begin: () => {
      firstId = undefined;
      return undefined;
    },
    answer: (answer) => {
      const quote: Fields = Object(answer);
      firstId ??= quote.requestId;
      return { ...quote, requestId: firstId };
    },
  }),
};
