/**
 * What would have happened: the refused bytes are signed after all and land on a throw-away copy of the chain, and
 * what is there afterwards is compared with what the honest answer to the same request did.
 */

import { attempt } from '../../base/attempt.ts';
import { readTokenAccount } from '../../programs/token/accounts.ts';
import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import type { TransactionRecord } from '../../sandbox/chain/types.ts';
import { budgetFor, compileDraft } from '../../sandbox/service/build/compile.ts';
import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { type Attack, robbersOf, secondWallet } from '../service/index.ts';
import { copyChain, land, type MessageSigner, signed, touched } from './copy.ts';
import { type Accounts, type Assets, assetsOf, changesBy, difference } from './holdings.ts';
import type { SeenAccount, World } from './world.ts';

/** What a signature would have cost. Amounts are base units as text, by asset: `SOL` or a mint. */
export interface Loss {
  readonly assets: Readonly<Record<string, string>>;
  /** Lamports of it that are network fees beyond those of the honest answer. */
  readonly extraFees: string;
}

/** What wallet and attacker hold at one moment. */
interface Moment {
  readonly wallet: Assets;
  readonly attacker: Assets;
}

/** The refused bytes as they would have ended. */
export interface WhatIf {
  /** Compares with the honest answer, which has landed on the chain by now. Without one: with doing nothing. */
  lossAgainst(twin: readonly TransactionRecord[] | undefined): Loss;
  readonly failed: boolean;
}

/** Lands stages on a copy of the chain, with the wallet's signature under each. */
export async function whatIf(
  world: World,
  stages: readonly Uint8Array[],
  attack?: Pick<Attack, 'meanwhile' | 'afterwards'>,
): Promise<WhatIf> {
  const { sandbox, wallet } = world;
  const { chain, service } = sandbox;
  const { tools } = service.hostile;
  const owners = new Set([wallet, secondWallet(service).address]);
  const robbers = new Set(robbersOf(tools));
  const later = attack?.afterwards?.(wallet, tools) ?? [];
  const accounts = new Set([
    ...stages.flatMap((bytes) => touched(chain, bytes)),
    ...later.flatMap(({ accounts: used, programAddress }) => [
      programAddress,
      ...used.map(({ address }) => address),
    ]),
    ...tokenAccountsOf(chain, new Set([...owners, ...robbers])),
    ...owners,
    ...robbers,
  ]);
  const copy = await copyChain(chain, world, accounts);
  try {
    attack?.meanwhile?.(copy, wallet, tools);
    const signers = [service.keys.wallet, secondWallet(service), service.keys.feeShareAuthority];
    const refused = stages.map((bytes) => land(copy, signed(bytes, signers)));
    const records = [...refused];
    if (later.length > 0) records.push(robbery(copy, tools.attacker, later));
    for (const address of records.flatMap(addressesOf)) accounts.add(address);
    const before = momentOf(chain, accounts, owners, robbers);
    const after = momentOf(copy, accounts, owners, robbers);
    const [was, is] = world.witness ? [seen(chain, accounts), seen(copy, accounts)] : [[], []];
    return {
      failed: records.some(({ err }) => err !== null),
      lossAgainst: (twin) => {
        const now = twin === undefined ? was : seen(chain, [...accounts, ...twin.flatMap(addressesOf)]);
        // By its own transactions: closing a lookup table afterwards gives rent back to the twin alone.
        const moved = changesBy(twin ?? [], owners);
        world.witness?.({ owners: [...owners], before: was, after: is, honest: now });
        return {
          assets: lostAssets(before, after, moved, later.length > 0 ? ROBBERY_FUNDS : 0n),
          extraFees: `${feesOf(refused, wallet) - feesOf(twin ?? [], wallet)}`,
        };
      },
    };
  } finally {
    copy.close();
  }
}

/** Those of the accounts that exist. */
const seen = (view: Accounts, accounts: Iterable<Address>): SeenAccount[] =>
  [...new Set(accounts)].flatMap((address) => {
    const account = view.getAccount(address);
    return account === null ? [] : [{ ...account, address }];
  });

/** What the attacker does once the bytes have landed; it pays for itself. */
function robbery(
  copy: SandboxChain,
  attacker: MessageSigner & { readonly secretKey: Uint8Array },
  instructions: ReturnType<NonNullable<Attack['afterwards']>>,
): TransactionRecord {
  copy.airdrop(attacker.address, ROBBERY_FUNDS);
  const { blockhash, lastValidBlockHeight } = copy.latestBlockhash('processed');
  const draft = {
    format: 'v0' as const,
    feePayer: attacker.address,
    instructions,
    budget: budgetFor(instructions.length),
    signers: [attacker],
  };
  return land(copy, compileDraft(draft, { blockhash, lastValidBlockHeight }).bytes);
}

/** What the attacker brings along on a copy, to pay for what it does there. */
const ROBBERY_FUNDS = 100_000_000n;

function momentOf(
  view: Accounts,
  accounts: Iterable<Address>,
  owners: ReadonlySet<Address>,
  robbers: ReadonlySet<Address>,
): Moment {
  return { wallet: assetsOf(view, accounts, owners), attacker: assetsOf(view, accounts, robbers) };
}

/** Differences below one part in so many of what a trade moves come from the price, which moves as well. */
const PRICE_NOISE = 1_000n;

/** What the wallet has less than after the honest answer, or the attacker more than before, whichever is more. */
function lostAssets(
  before: Moment,
  after: Moment,
  honest: Assets,
  attackerFunds: bigint,
): Record<string, string> {
  const gained = difference(after.attacker, before.attacker);
  const missing = difference(honest, difference(after.wallet, before.wallet));
  const lost: Record<string, string> = {};
  for (const asset of new Set([...missing.keys(), ...gained.keys()])) {
    const less = missing.get(asset) ?? 0n;
    const more = (gained.get(asset) ?? 0n) - (asset === 'SOL' ? attackerFunds : 0n);
    const trade = honest.get(asset) ?? 0n;
    const isNoise = less * PRICE_NOISE < (trade < 0n ? -trade : trade);
    const most = less > more && !isNoise ? less : more;
    if (most > 0n) lost[asset] = `${most}`;
  }
  return lost;
}

/** Network fees a wallet paid for transactions, in lamports. */
const feesOf = (records: readonly TransactionRecord[], wallet: Address): bigint =>
  records.reduce((sum, { fee, staticAccounts: [payer] }) => sum + (payer === wallet ? fee : 0n), 0n);

const addressesOf = ({ staticAccounts, loadedAddresses }: TransactionRecord): Address[] => [
  ...staticAccounts,
  ...loadedAddresses.writable,
  ...loadedAddresses.readonly,
];

const tokenAccountsOf = (chain: SandboxChain, owners: ReadonlySet<Address>): Address[] =>
  TOKEN_PROGRAMS.flatMap((program) =>
    [...chain.programAccounts(program)].flatMap(([address, { data }]) =>
      owners.has(attempt(() => readTokenAccount(data))?.owner ?? '') ? [address] : [],
    ),
  );
