/** The `doctor` row on principals (the setting `principals`): whether the file, its policies and its wallets exist. */
import { listWords, several } from '../../base/format.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { readPrincipals } from '../../runtime/principals/file.ts';
import { lackingIn, lackingWords } from '../../runtime/principals/lacking.ts';
import type { HomeWallet } from '../../secrets/wallets/wallets.ts';
import { bad, type Finding, good } from './finding.ts';

/** `wallets` is absent if the secret store did not open, which another row reports. */
export async function principalsFinding(
  path: string,
  wallets: readonly HomeWallet[] | undefined,
): Promise<Finding> {
  const what = 'principals';
  try {
    const { entries } = await readPrincipals(path, wallets);
    const unusable = new Set(entries.flatMap((each) => (each.policyHash === undefined ? [each.policy] : [])));
    const problems = [
      ...(wallets === undefined ? [] : lackingIn(entries, wallets).map(lackingWords)),
      ...(unusable.size === 0 ? [] : [`Unusable policies: ${listWords([...unusable])}.`]),
    ];
    return problems.length === 0
      ? good(what, `${several(entries.length, 'principal')} with wallets and policies`)
      : bad(what, problems.join(' '), `countersign principals check ${path}`);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return bad(what, error.message, error.hint);
  }
}
