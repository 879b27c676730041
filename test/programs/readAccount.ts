/** Decodes an account of any supported type. */
import { type AccountBytes, isOfType, readAs } from '../../src/programs/account.ts';
import { ACCOUNT_LAYOUTS } from '../../src/programs/accountLayouts.ts';

/** Returns `undefined` for other accounts and for invalid data. */
export function readAccount(account: AccountBytes) {
  const layout = ACCOUNT_LAYOUTS.find((each) => isOfType(each, account));
  if (layout === undefined) return undefined;
  const fields = readAs(layout, account);
  return typeof fields === 'string' ? undefined : { kind: layout.kind, fields, inferred: layout.inferred };
}
