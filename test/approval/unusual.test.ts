/** Every finding that asks the owner appears in the question, as a line of the statement or as unusual. */
import { expect, it } from 'vitest';
import { ASK_CODES, type AskCode, type Check } from '../../src/policy/decide/types.ts';
import type { CheckId } from '../../src/policy/decide/words/names.ts';
import { namesOf } from '../../src/presentation/statement/names.ts';
import { sentencesOf } from '../../src/presentation/statement/sentences.ts';
import { unusual } from '../../src/presentation/statement/unusual.ts';
import type { Line } from '../../src/statement/types.ts';
import { keyNamed } from '../policy/people.ts';

const [WALLET, MINT, POOL, STRANGER] = ['wallet', 'mint', 'pool', 'stranger'].map(
  (n) => keyNamed(n).address,
) as [string, string, string, string];
const names = namesOf({
  wallet: WALLET,
  label: () => undefined,
  isOwn: (address) => address === WALLET,
  tokens: new Map([[MINT, { decimals: 6, symbol: 'LIGHT' }]]),
});

/** A recorded ask of each code, and the parts of it that an owner must see. */
const ASKS: Readonly<
  Record<AskCode, readonly [Omit<Partial<Check>, 'id'> & { id: CheckId }, readonly string[]]>
> = {
  TERM_DIFFERS: [{ id: 'unsoldSupply', observed: '90.92%', allowed: 'at most 25%' }, ['90.92%', '25%']],
  TERM_UNKNOWN: [{ id: 'unknownTerm', params: { part: 'vesting' }, observed: '7' }, ['vesting', '7']],
  NAME_UNREGISTERED: [{ id: 'unregisteredToken' }, ['name']],
  PAYEE_UNKNOWN: [
    { id: 'unnamedServiceFee', params: { payee: STRANGER }, observed: '0.1 SOL' },
    [STRANGER, '0.1 SOL', 'not in your address book'],
  ],
  NETWORK_FEE_HIGH: [{ id: 'networkFee', params: { times: 4 }, observed: '0.1 SOL' }, ['0.1 SOL', '4 times']],
  ISSUER_POWER: [
    { id: 'freezeAuthority', params: { mint: MINT }, observed: `held by ${STRANGER}` },
    ['“LIGHT”', STRANGER],
  ],
  FIRST_PURCHASE: [{ id: 'firstPurchase', params: { mint: MINT } }, ['“LIGHT”']],
  PRICE_DEVIATES: [
    {
      ...{ id: 'secondPrice', params: { pool: POOL, most: '5%', below: '90.1%' } },
      ...{ observed: `at least 60,089 of ${MINT} for 0.099 SOL`, allowed: `606,962 of ${MINT}` },
    },
    ['90.1%', '60,089 “LIGHT”', '606,962 “LIGHT”', '0.099 SOL'],
  ],
  CLAIM_COSTS_MORE: [{ id: 'claimCosts', observed: '0.1 SOL for 0.2 SOL' }, ['0.1 SOL for 0.2 SOL']],
  RUN_OVER_BUDGET: [{ id: 'planStages', observed: '9', allowed: '4 at most' }, ['9', '4 at most']],
  LIMIT_MISSING: [{ id: 'unlimitedAsset', observed: MINT }, ['“LIGHT”']],
  REHEARSAL_MISSING: [
    { id: 'noRehearsal', params: { reason: 'runtime' } },
    ['could not be rehearsed', 'runtime'],
  ],
  NOT_ENFORCED: [{ id: 'guards', observed: `SOL, ${MINT}` }, ['SOL', '“LIGHT”']],
  READING_INFERRED: [{ id: 'inferredLayout', observed: 'instruction #3' }, ['inferred']],
  CODE_REPLACED: [
    { id: 'deployedSlot', params: { program: STRANGER }, observed: '2', allowed: '1' },
    [STRANGER],
  ],
  // Stated by lines of the statement: claimers, unsupported instructions, the finality of a launch.
  UNSUPPORTED_INSTRUCTION: [{ id: 'unsupported' }, []],
  PARTY_UNKNOWN: [{ id: 'poolCreator' }, []],
  POOL_LAUNCH: [{ id: 'poolLaunch' }, []],
};

it.each(ASK_CODES.map((code) => [code, ASKS[code]] as const))('shows %s', (code, [check, parts]) => {
  const asked = { ok: false, code, class: 'policy', ...check } as Check;
  const sentences = unusual([asked, asked], names);
  expect(sentences).toHaveLength(parts.length === 0 ? 0 : 1);
  for (const part of parts) expect(sentences[0]?.text).toContain(part);
  expect(unusual([{ ...asked, ok: true }], names)).toEqual([]);
});

/** Sentences about a key of a stranger. A token that was created at this key has a name that the stranger chose. */
const ABOUT: readonly Line[] = [
  { id: 'earns', source: 'chain', party: MINT, shareBps: null, from: POOL, of: 'leftover' },
  { id: 'earns', source: 'chain', party: MINT, shareBps: null, from: POOL, of: 'partner' },
  { id: 'controls', source: 'chain', right: 'pool creator', of: POOL, party: MINT },
  { id: 'opens', source: 'chain', account: POOL, owner: MINT, kind: 'token' },
  { id: 'moves', source: 'chain', asset: 'SOL', amount: 1n, from: 'market', to: MINT },
  { id: 'claims', source: 'chain', of: POOL, kind: '', payouts: [{ asset: 'SOL', owner: MINT }] },
  {
    ...{ id: 'pays', source: 'chain', asset: 'SOL', atMost: 1n, to: MINT, owner: MINT },
    ...{ why: 'serviceFee', returns: 'never' },
  },
  { id: 'issuer', source: 'chain', mint: POOL, power: 'freeze', holder: MINT },
];

it.each(ABOUT)('names a key by its address although a token has the same one: $id', (line) => {
  const [{ text, tone } = { text: '', tone: 'plain' }] = sentencesOf(line, names);
  expect(text).toContain(`${MINT} (not in your address book)`);
  expect(text).not.toContain('LIGHT');
  expect(tone).not.toBe('plain');
});

it('names a token by its symbol where it is what a right is over', () => {
  const line = {
    id: 'controls',
    source: 'chain',
    right: 'mint authority',
    of: MINT,
    party: STRANGER,
  } as const;
  const [found] = sentencesOf(line, names);
  expect(found?.text).toContain('can make more of “LIGHT”');
  expect(found?.text).toContain(STRANGER);
});
