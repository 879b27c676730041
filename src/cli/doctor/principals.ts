/**
 * The `doctor` rows on principals (the setting `principals`): wallets, usable policy and freeze of each. Principals
 * without problems are summarized in one row.
 */
import { several } from '../../base/format.ts';
import type { Freeze } from '../../ledger/types.ts';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { parsePolicy } from '../../policy/file/file.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { readPolicyFile } from '../../runtime/policyFile.ts';
import { type PrincipalEntry, readPrincipals } from '../../runtime/principals/file.ts';
import { lackingIn } from '../../runtime/principals/lacking.ts';
import { type HomeWallet, walletWords } from '../../secrets/wallets/wallets.ts';
import { timeWords } from '../records/history.ts';
import { bad, type Finding, good } from './finding.ts';

/** Maximum rows without problems. */
const MAX_ROWS = 20;

export interface PrincipalsSeen {
  readonly entries: readonly PrincipalEntry[];
  /** Usable policies by path. */
  readonly policies: ReadonlyMap<string, LoadedPolicy>;
  /** Why the file is unusable. */
  readonly problem?: Finding;
}

/** Reads the file and the policies it names. */
export async function seePrincipals(
  path: string,
  wallets: readonly HomeWallet[] | undefined,
): Promise<PrincipalsSeen> {
  try {
    const { entries } = await readPrincipals(path, wallets);
    const policies = new Map<string, LoadedPolicy>();
    for (const policy of new Set(entries.map((entry) => entry.policy))) {
      const file = await readPolicyFile(policy);
      const parsed = 'problem' in file ? undefined : parsePolicy(file.text);
      if (parsed !== undefined && !('errors' in parsed)) policies.set(policy, parsed);
    }
    return { entries, policies };
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const problem = bad('principals', error.message, error.hint);
    return { entries: [], policies: new Map(), problem };
  }
}

/** `wallets` is absent where the secret store did not open, which another row says. */
export function principalFindings(
  { entries, policies, problem }: PrincipalsSeen,
  wallets: readonly HomeWallet[] | undefined,
  freezes: readonly Freeze[],
): Finding[] {
  if (problem !== undefined) return [problem];
  const rows = entries.map((entry) => rowOf(entry, policies.get(entry.policy), wallets, freezes));
  if (rows.length <= MAX_ROWS) return rows;
  const fine = rows.filter(({ ok }) => ok).length;
  const rest = good('principals', `nothing is missing of ${several(fine, 'principal')}`);
  return [...rows.filter(({ ok }) => !ok), ...(fine === 0 ? [] : [rest])];
}

function rowOf(
  entry: PrincipalEntry,
  loaded: LoadedPolicy | undefined,
  wallets: readonly HomeWallet[] | undefined,
  freezes: readonly Freeze[],
): Finding {
  const lacking = wallets === undefined ? [] : lackingIn([entry], wallets).flatMap((each) => each.wallets);
  const own =
    wallets?.filter(({ address }) => entry.wallets === 'all' || entry.wallets.includes(address)) ?? [];
  const unnamed = own.filter(({ address }) =>
    loaded?.policy.wallets.every((each) => each.address !== address),
  );
  const frozen = freezes.find(({ principal }) => principal === undefined || principal === entry.name);
  const parts = [
    own.length === 0 ? 'no wallet' : `wallets ${own.map(walletWords).join(', ')}`,
    ...lacking.map((wallet) => `names ${wallet}, which this home does not have`),
    loaded === undefined
      ? `its policy ${entry.policy} cannot be used`
      : `policy ${loaded.policy.id}, hash ${loaded.hash.slice(0, 16)}…`,
    ...unnamed.map(
      (wallet) => `its policy does not name ${walletWords(wallet)}, so nothing is signed for it`,
    ),
    frozen === undefined ? 'not frozen' : `frozen since ${timeWords(frozen.since)}: ${frozen.reason}`,
  ];
  const next = nextOf(entry, { lacking: lacking.length, loaded, unnamed: unnamed.length, frozen });
  return { what: 'principal', ok: next === undefined, detail: `${entry.name}: ${parts.join('; ')}`, next };
}

interface Trouble {
  readonly lacking: number;
  readonly loaded: LoadedPolicy | undefined;
  readonly unnamed: number;
  readonly frozen: Freeze | undefined;
}

/** Returns the first step to fix it. A read-only principal needs neither wallet nor policy. */
function nextOf(entry: PrincipalEntry, { lacking, loaded, unnamed, frozen }: Trouble): string | undefined {
  if (lacking > 0)
    return 'countersign wallet import FILE, or correct the principals file and accept it: countersign principals accept FILE';
  if (loaded === undefined) return `countersign policy check ${entry.policy}`;
  if (unnamed > 0) return `add it under "wallets" in ${entry.policy}`;
  if (frozen === undefined) return undefined;
  return `countersign audit show, then countersign unfreeze${frozen.principal === undefined ? '' : ` ${frozen.principal}`}`;
}
