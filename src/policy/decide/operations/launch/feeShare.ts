/** The fee share config of a launched token, which must exist before the launch. */
import { feeShareConfig } from '../../../../programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../../../programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Checklist } from '../../checklist.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import { accountAt } from '../chain.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import { textOf } from '../request.ts';

/** Checks that the token's config is finalized and is the one in the request. */
export function checkShare(
  c: DecisionContext,
  { baseMint = '', quoteMint = WSOL_MINT }: ExpectedOutcome,
  list: Checklist,
): void {
  const address = feeShareConfigAddress(baseMint, quoteMint);
  const named = textOf(c.inputs.plan.request, 'feeShareConfig') ?? address;
  const config = accountAt(c, address, feeShareConfig);
  const isFinished = named === address && config?.isInitFinalized === 1;
  list.expect(isFinished, 'REQUEST_MISMATCH', 'configOfToken', {
    observed: config === undefined ? 'no finished config' : named === address ? config.baseMint : 'another',
    allowed: baseMint,
  });
}
