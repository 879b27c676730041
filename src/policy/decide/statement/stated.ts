/** Statement lines of the stage under decision, with account data from the decision inputs. */
import type { Act } from '../../../programs/acts.ts';
import { position } from '../../../programs/dammV2/accounts.ts';
import { positionNftAccountAddress } from '../../../programs/dammV2/addresses.ts';
import { poolConfig } from '../../../programs/dbc/accounts.ts';
import { feeShareConfig } from '../../../programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../../programs/feeShare/addresses.ts';
import { termsOfCurve } from '../../../programs/poolTerms/curve.ts';
import { DISPLAY_EXTENSIONS, highestTransferFee } from '../../../programs/token2022/extensions.ts';
import { FollowingView } from '../../../programs/view.ts';
import { linesOf } from '../../../statement/lines.ts';
import type { Line, StageLines, Why } from '../../../statement/types.ts';
import { assetOf, type ChainView } from '../../../statement/view.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Amounts } from '../amounts.ts';
import { pinnedAsks } from '../asks/asks.ts';
import { mintAt, rentOf, type StageContext, tokenAccountAt } from '../decisionContext.ts';
import { accountAt } from '../operations/chain.ts';
import { TOKEN_ACCOUNT_BYTES } from '../operations/deposits.ts';
import { tipOf } from '../operations/ownAccounts.ts';
import { runOf } from '../operations/run.ts';
import { addActSpend, creationFee } from '../operations/spend.ts';
import type { Check } from '../types.ts';
import { withGuards } from './guards.ts';

/** Returns the lines of a stage. `arrivals` and `leaves`: minimum and maximum amounts by asset. */
export function statedBy(
  c: StageContext,
  arrivals: Amounts,
  leaves: Amounts,
  checks: readonly Check[],
): StageLines {
  const { inputs, wallet, feePayer, fee, readings } = c;
  const payees = new Map<Address, Why>();
  for (const { label, address } of inputs.serviceAddresses)
    if (label === 'treasury') payees.set(address, 'serviceFee');
  const tip = tipOf(inputs.plan.request);
  if (tip !== undefined) payees.set(tip.wallet, 'tip');
  const calls = readings.map(({ reading, acts }) => ({ program: reading.program, acts }));
  const fixed = new Set(textsIn(inputs.plan.request));
  // A swap's other payments are service fees, bounded by the quote; those of other operations are requested amounts.
  const otherwise = inputs.plan.operation === 'swap' ? 'serviceFee' : 'payment';
  const parties = { wallet, feePayer, fee: fee.total, payees, otherwise, fixed } as const;
  const { lines, made } = linesOf({ ...parties, calls, arrivals, leaves }, viewOf(c, runOf(c).preceding));
  const asks = pinnedAsks(checks).map((ask): Line => ({ id: 'asks', source: 'chain', ...ask }));
  return { lines: [...withGuards(c, lines), ...shareLines(c), ...asks], made };
}

/** Returns lines for the claimers and the manager of a launched token, from its fee share config on chain. */
function shareLines(c: StageContext): readonly Line[] {
  const { tokenMint: from, quoteMint } = c.inputs.plan.request;
  if (typeof from !== 'string' || !c.acts.some(({ act }) => act === 'createPool')) return [];
  const quote = typeof quoteMint === 'string' ? quoteMint : WSOL_MINT;
  const config = accountAt(c, feeShareConfigAddress(from, quote), feeShareConfig);
  if (config === undefined) return [];
  const asset = assetOf(quote);
  return [
    ...config.claimers.map(
      ({ wallet: party, bps: shareBps }): Line => ({
        ...{ id: 'earns', source: 'chain', party, shareBps, from, of: 'fees', asset },
      }),
    ),
    { id: 'controls', source: 'chain', right: 'fee shares', of: from, party: config.manager, asset },
  ];
}

/** Returns every string in a request, at any depth, including the requested addresses. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Object.values(value ?? {}).flatMap(textsIn);
}

/** Builds the view of the chain for the statement. `preceding`: acts of the stages before this one. */
const viewOf = (c: StageContext, preceding: readonly Act[]): ChainView => ({
  tokenOwner: ownersOf(c, preceding),
  exists: (account) => c.accounts.get(account)?.exists === true,
  deposit: (act) => depositOf(c, act, preceding),
  withheld(mint, amount) {
    const fee = mintAt(c, mint)?.transferFee;
    return fee === undefined ? 0n : highestTransferFee(fee, amount);
  },
  issuerPowers: (mint) => powersOver(c, mint),
  code(program) {
    const code = c.inputs.programs?.find(({ address }) => address === program);
    // `null` is an unknown slot, which never equals an approved one.
    return (
      code && {
        deployedSlot: code.deployedSlot?.toString() ?? null,
        upgradeableBy: code.upgradeAuthority ?? null,
      }
    );
  },
  poolSetting(address) {
    const config = accountAt(c, address, poolConfig);
    if (config === undefined) return undefined;
    const { feeClaimer, leftoverReceiver } = config;
    return { terms: termsOfCurve(config), feeClaimer, leftoverReceiver };
  },
  holds(what, of) {
    if (what === 'locked') return (accountAt(c, of, position)?.permanentLockedLiquidity ?? 0n) > 0n;
    const mint = mintAt(c, of);
    return (
      mint !== undefined && (what === 'noMinting' ? mint.mintAuthority : mint.freezeAuthority) === undefined
    );
  },
});

/** Returns a lookup of token account owners, on chain or created by preceding stages. */
function ownersOf(c: StageContext, preceding: readonly Act[]): ChainView['tokenOwner'] {
  const view = new FollowingView({ tokenAccount: (account) => tokenAccountAt(c, account) });
  const positions = new Map<Address, Address>();
  for (const act of preceding) {
    view.follow(act);
    if (act.act === 'openPosition') positions.set(positionNftAccountAddress(act.nftMint), act.owner);
  }
  return (account) => view.tokenAccount(account)?.owner ?? positions.get(account);
}

/** Returns the lamports that an act deposits, as counted against limits. */
function depositOf(c: StageContext, act: Act, preceding: readonly Act[]): bigint {
  if (act.act === 'openAccount') {
    const isClassic = c.accounts.get(act.mint ?? '')?.owner === TOKEN_PROGRAM;
    return typeof act.deposit === 'bigint'
      ? act.deposit
      : rentOf(c.inputs, isClassic ? 165 : TOKEN_ACCOUNT_BYTES);
  }
  // The stage that creates a config already counts the rent for all requested claimers.
  const creates = ({ act: kind }: Act) => kind === 'createConfig';
  if (act.act === 'extendConfig' && [...preceding, ...c.acts].some(creates)) return 0n;
  const spend: Amounts = new Map();
  addActSpend(c, act, spend);
  const beside = 'surcharge' in act ? (act.surcharge ?? 0n) : 0n;
  const fee = act.act === 'createPool' ? creationFee(c, act.config) : 0n;
  return (spend.get('SOL') ?? 0n) - beside - fee;
}

function powersOver(c: StageContext, address: Address): ReturnType<ChainView['issuerPowers']> {
  const mint = mintAt(c, address);
  if (mint === undefined) return [];
  const { transferFee, transferHook, permanentDelegate, mintCloseAuthority, pauseAuthority } = mint;
  const held = (power: string, holder: Address | undefined) =>
    holder === undefined ? [] : [{ power, holder }];
  const schedules = transferFee === undefined ? [] : [transferFee.older, transferFee.newer];
  return [
    ...held('mint', mint.mintAuthority),
    ...held('freeze', mint.freezeAuthority),
    ...(transferFee === undefined
      ? []
      : [
          {
            ...{ power: 'transferFee', holder: transferFee.configAuthority ?? null },
            maxBps: Math.max(...schedules.map(({ basisPoints }) => basisPoints)),
            maxFee: schedules.map(({ maximumFee }) => maximumFee).reduce((a, b) => (a > b ? a : b)),
          },
        ]),
    ...held('hook', transferHook?.program ?? transferHook?.authority),
    ...held('permanentDelegate', permanentDelegate),
    ...held('close', mintCloseAuthority),
    ...held('pause', pauseAuthority),
    ...(mint.defaultAccountState === 'frozen'
      ? [{ power: 'opensFrozen', holder: mint.freezeAuthority ?? null }]
      : []),
    ...(mint.extensions.some((name) => DISPLAY_EXTENSIONS.includes(name))
      ? [{ power: 'displayedAmount', holder: null }]
      : []),
  ];
}
