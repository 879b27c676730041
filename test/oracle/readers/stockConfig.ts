/**
 * A fee share config as the sandbox writes it today: fields in the metadata of a mint, `claimer.0` being an address
 * and basis points, and `admin` who may change them.
 */
import type { Amount, Findings, Right } from '../findings.ts';

const CLAIMER = /^claimer\.\d+$/;
const ROLES = { admin: 'manager', deployer: 'deployer', partner: 'partner' } as const;

/** Shares and roles that the fields of a mint's metadata give; none where they are no config. */
export function stockConfig(
  account: string,
  fields: readonly (readonly [string, string])[],
): Pick<Findings, 'rights' | 'amounts'> {
  const rights: Right[] = [];
  const amounts: Amount[] = [];
  // A field that is written again later counts as it was written last.
  for (const [key, value] of new Map(fields)) {
    const right = Object.entries(ROLES).find(([name]) => name === key)?.[1];
    if (right !== undefined) rights.push({ account, right, holder: value });
    if (!CLAIMER.test(key)) continue;
    const [holder = '', share = ''] = value.split(':');
    rights.push(...claimer(account, holder, Number(share)));
    amounts.push({ line: `shares of ${account}`, holder, amount: BigInt(share) });
  }
  return { rights, amounts };
}

/** A claimer's right, by its share: a stranger whose share grows is a line that was not there. */
export const claimer = (account: string, holder: string, basisPoints: number): Right[] =>
  basisPoints === 0
    ? []
    : [{ account, right: `claimer of ${basisPoints} basis points`, holder, loss: 'never' }];
