/**
 * Rules of launches, on the bonding curve or in their own pool. The claimers are read from the fee share config, which
 * exists on chain before the launch.
 */
import { feeShareConfig } from '../../../../programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../../../programs/feeShare/addresses.ts';
import { METADATA_FEE } from '../../../../programs/tokenMetadata/addresses.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import { type Amounts, add } from '../../amounts.ts';
import { assetOf, type DecisionContext } from '../../decisionContext.ts';
import { accountAt } from '../chain.ts';
import { launchDeposit } from '../deposits.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import type { OperationRules } from '../operation.ts';
import { tipOf } from '../ownAccounts.ts';
import { requestedFormats, textOf } from '../request.ts';
import { creationFee } from '../spend.ts';
import { matchCurveLaunch } from './curveLaunch.ts';
import { buyOf } from './parts.ts';
import { CUSTODY_ENDPOINT, MAX_QUOTE, matchPoolLaunch } from './poolLaunch.ts';

/** Endpoints that launch into a pool, with a fee share config or with positions in custody. */
const POOLS: readonly string[] = ['dammLaunchV2', CUSTODY_ENDPOINT];

export const launchRules: OperationRules = {
  expected: expectedLaunch,
  match: (c, list, expected = expectedLaunch(c)) => {
    const match = POOLS.includes(c.inputs.plan.endpoint) ? matchPoolLaunch : matchCurveLaunch;
    return match(c, expected, list);
  },
  feePayer: 'cosigner',
  formats: (inputs) => (inputs.plan.endpoint === 'curveLaunch' ? ['legacy', 'v0'] : requestedFormats(inputs)),
};

function expectedLaunch(c: DecisionContext): ExpectedOutcome {
  const { request } = c.inputs.plan;
  const mint = textOf(request, 'tokenMint') ?? '';
  const quoteMint = textOf(request, 'quoteMint') ?? WSOL_MINT;
  const tip = tipOf(request);
  const buy = buyOf(request);
  const isPool = POOLS.includes(c.inputs.plan.endpoint);
  const isHeld = c.inputs.plan.endpoint === CUSTODY_ENDPOINT;
  const known = isHeld ? undefined : accountAt(c, feeShareConfigAddress(mint, quoteMint), feeShareConfig);
  const partner = isHeld ? textOf(request, 'partner') : (known?.partner ?? undefined);
  const out: Amounts = new Map();
  add(out, assetOf(quoteMint), buy);
  add(out, 'SOL', tip?.lamports ?? 0n);
  return {
    maxOut: [...out].map(([asset, amount]) => ({ asset, amount: `${amount}` })),
    surcharges: `${METADATA_FEE + (isPool ? MAX_QUOTE : creationFee(c, textOf(request, 'configKey')))}`,
    maxDeposits: `${launchDeposit(c.inputs, isPool ? 'pool' : 'curve')}`,
    ...(tip === undefined ? {} : { tip: { wallet: tip.wallet, lamports: `${tip.lamports}` } }),
    baseMint: mint,
    quoteMint,
    ...(known === undefined ? {} : { claimers: known.claimers, manager: known.manager }),
    ...(partner === undefined ? {} : { partner }),
    ...(isHeld ? { feeClaimer: textOf(request, 'feeClaimerWallet') ?? c.wallet } : {}),
    token: { mint, uri: textOf(request, 'ipfs'), ...c.inputs.named },
  };
}
