/** The policy of the attack table: a careful creator and trader with a friend in the address book. */

import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import { embeddedPolicy } from '../../../src/review/templates/embedded.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { Sandbox } from '../../sandbox.ts';
import { outcomeOf } from '../../service/build/swap.ts';
import { marketOf } from '../../service/records/markets.ts';

/** Lamports of the sample trade. */
export const TRADE_LAMPORTS = 100_000_000n;

/** The friend's social handle. */
export const FRIEND_HANDLE = { provider: 'github', username: 'friend' } as const;

/** Returns the wallet of the friend's handle. */
export const friendOf = ({ service }: Pick<Sandbox, 'service'>): Address =>
  service.keys.seeded(`handle ${FRIEND_HANDLE.provider}/${FRIEND_HANDLE.username}`).address;

/** Number of further claimers of a long split. */
export const FANS = 45;
export const fanOf = ({ service }: Pick<Sandbox, 'service'>, nth: number): Address =>
  service.keys.seeded(`fan ${nth}`).address;

/** Returns the policy file of the sandbox's wallet and a second wallet of the same owner. */
export function attackPolicy(sandbox: Sandbox, second: { readonly address: Address }): PolicyFile {
  const { address } = sandbox.wallet;
  const base = embeddedPolicy({ wallet: address, network: sandbox.genesisHash });
  const { keys } = sandbox.service;
  const token = keys.tokenMint(0).address;
  const known = ['USDC', 'TAXQ'].map((symbol) => keys.quoteMint(symbol).address);
  return {
    ...base,
    id: 'attacked',
    wallets: [
      { label: 'agent', address },
      { label: 'savings', address: second.address },
    ],
    addressBook: [
      { label: 'friend', address: friendOf(sandbox) },
      ...Array.from({ length: FANS }, (_, i) => ({ label: `fan ${i + 1}`, address: fanOf(sandbox, i + 1) })),
    ],
    tokens: {
      mints: ['SOL', ...known, token, keys.tokenMint(2).address],
      extensions: base.tokens?.extensions ?? { deny: [] },
    },
    limits: base.limits.map((limit) => ('count' in limit ? { ...limit, max: 10_000 } : limit)),
    rules: base.rules.map((rule) => {
      switch (rule.operation) {
        case 'config':
        case 'launch':
          return {
            ...rule,
            claimers: 'addressBook' as const,
            admin: 'own' as const,
            partner: 'addressBook' as const,
            tip: 'addressBook' as const,
            ...(rule.operation === 'launch' ? { feeClaimer: 'own' as const } : {}),
          };
        case 'manager_update':
          return { ...rule, claimers: 'addressBook' as const };
        case 'send':
          return { ...rule, effect: 'allow' as const };
        case 'swap':
          return { ...rule, minRates: [lowestRate(sandbox, token)] };
        default:
          return rule;
      }
    }),
    freeze: { afterDenials: { count: 1_000, windowSeconds: 600 } },
  };
}

/** Returns the minimum rate of the sample trade: half of the current one. */
function lowestRate({ service }: Sandbox, token: Address) {
  const venue = service.state.launches.get(token)?.venue;
  if (venue === undefined) throw new Error('the token of the sample trades does not trade');
  const swap = { inputMint: WSOL_MINT, amount: TRADE_LAMPORTS, slippageBps: 0, through: 'venue' } as const;
  const market = marketOf(service, venue);
  const { outAmount } = outcomeOf(service, { market, taker: service.keys.wallet.address, ...swap });
  return {
    input: 'SOL',
    output: token,
    perInput: String(TRADE_LAMPORTS),
    minOutput: String(outAmount / 2n),
  };
}
