import { describe, expect, it } from 'vitest';
import { policyPageLines } from '../../src/cli/policy/policyLines.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explainPolicy } from '../../src/review/explainPolicy.ts';
import { policyTemplate, TEMPLATE_NAMES } from '../../src/review/templates/templates.ts';
import { unsupportedProgram } from './people.ts';

const WALLET = '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2';
const FRIEND = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const OPAQUE = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';

type Change = (file: PolicyFile) => Partial<PolicyFile>;

function loaded(name: (typeof TEMPLATE_NAMES)[number], change: Change = () => ({})) {
  const file = policyTemplate(name, { wallet: WALLET, network: 'mainnet-beta' });
  const parsed = parsePolicy(JSON.stringify({ ...file, ...change(file) }));
  if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
  return parsed;
}

/** Two rules for one operation: known people without asking, others after approval. */
const TWO_SETUPS: PolicyFile['rules'] = [
  { id: 'known', operation: 'config', effect: 'allow', admin: 'own', why: 'people this policy knows' },
  {
    id: 'others',
    operation: 'config',
    effect: 'require_approval',
    claimers: 'any',
    why: 'a new wallet earns',
  },
];

const page = (name: (typeof TEMPLATE_NAMES)[number], change?: Change, columns = 80): string => {
  const { policy, hash } = loaded(name, change);
  return `${policyPageLines(explainPolicy(policy, hash), columns).join('\n')}\n`;
};

/** The page without line breaks, for finding sentences. */
const sentences = (...args: Parameters<typeof page>): string => page(...args).replace(/\s+/g, ' ');

describe('the policy page', () => {
  it('shows the hash of the file it describes', () => {
    const { policy, hash } = loaded('trader');
    expect(policyPageLines(explainPolicy(policy, hash), 80)).toContain(`      - ${hash}`);
    expect(loaded('observer').hash).not.toBe(hash);
  });

  it.each([60, 80, 100])('fits %i columns', (columns) => {
    for (const name of TEMPLATE_NAMES) {
      const long = page(name, undefined, columns)
        .split('\n')
        .filter((line) => line.length > columns && !/[0-9A-Za-z]{32,}/.test(line));
      expect(long).toEqual([]);
    }
  });

  it('shows amounts in SOL and in exact lamports', () => {
    const text = sentences('trader', () => ({
      limits: [{ id: 'sol', asset: 'SOL', window: { rolling: '7d' }, max: '1000000001' }],
    }));
    expect(text).toContain('At most 1.000000001 SOL (1,000,000,001 lamports) may leave in any 7 days.');
  });

  it('lists the address book and required entries', () => {
    const text = sentences('creator', () => ({
      addressBook: [{ label: 'treasury', address: FRIEND }],
      rules: TWO_SETUPS,
    }));
    expect(text).toContain(`In your address book, "treasury": ${FRIEND}`);
    expect(text).toContain('Must be this wallet: who may change the split later.');
    expect(text).toContain('Must be this wallet or one in your address book: who earns a share,');
    expect(text).not.toContain('is empty');
  });

  it('shows hours with their time zone, also across midnight', () => {
    const hours = (from: string, to: string) =>
      sentences('trader', () => ({
        rules: [
          {
            id: 'trade',
            operation: 'swap',
            effect: 'allow',
            hours: { from, to, timeZone: 'Europe/Berlin' },
            why: 'by day',
          },
        ],
      }));
    expect(hours('07:00', '22:00')).toContain('Only from 07:00 to 22:00, time of Europe/Berlin.');
    expect(hours('22:00', '06:00')).toContain(
      'Only from 22:00 to 06:00 the next day, time of Europe/Berlin.',
    );
  });

  it('states that assets without a limit cannot leave', () => {
    expect(sentences('trader')).toContain(
      'No token but SOL may leave: an asset without a limit is refused, or asked about when a swap sells it.',
    );
    expect(sentences('trader', () => ({ limits: [] }))).toContain(
      'so nothing can leave, not even a network fee',
    );
    expect(sentences('sandbox')).not.toContain('an asset without a limit is refused');
  });

  it('states the required proceeds of a trade, with the lowest rates of the file', () => {
    const text = sentences('trader', () => ({
      rules: [
        {
          id: 'trade',
          operation: 'swap',
          effect: 'allow',
          minOutOfQuoteBps: 9_950,
          maxServiceFeeBps: 25,
          minRates: [{ input: 'SOL', output: MINT, perInput: '1000000000', minOutput: '140000000' }],
          why: 'at a price',
        },
      ],
    }));
    expect(text).toContain('At least 99.5% of the quoted amount must arrive.');
    expect(text).toContain('The service may keep at most 0.25% of the trade.');
    expect(text).toContain(
      `For every 1 SOL (1,000,000,000 lamports) at least 140,000,000 base units of token ${MINT}.`,
    );
    expect(text).not.toContain('fair price');
  });

  it('warns if a program is judged by its effects, which asks each time', () => {
    const text = sentences('creator', (file) => ({
      programs: [
        ...file.programs,
        unsupportedProgram(OPAQUE, {
          label: 'Fee program',
          operations: ['manager_update'],
          instructions: ['54387d65d2d6c3c5'],
          deployedSlot: 9,
        }),
      ],
    }));
    expect(text).toContain('These unsupported instructions may be used');
    expect(text).toContain(
      `Fee program (${OPAQUE}): manager_update_fee_config (54387d65d2d6c3c5), at most 4 times in a transaction, for ` +
        'changes of a fee split, only the code deployed in slot 9',
    );
    expect(text).toContain('Anything that calls an unsupported program, even where a rule above allows it');
  });

  it('states which of two rules about the same operation applies', () => {
    const text = sentences('creator', () => ({ rules: TWO_SETUPS }));
    expect(text).toContain('Decides only where rule known does not.');
  });

  it('points out settings that are easily overlooked', () => {
    const look = (change: Change, name: (typeof TEMPLATE_NAMES)[number] = 'trader') =>
      sentences(name, change).split('Look at these twice')[1]?.split('How it is checked')[0] ?? '';
    const allowing: Change = ({ rules }) => ({
      rules: rules.map((rule) => ({ ...rule, effect: 'allow' as const })),
    });
    expect(look(allowing, 'sandbox')).toContain(
      'Rule new-split lets the agent choose who earns a share without asking you: any address is accepted.',
    );
    expect(look(allowing, 'sandbox')).toContain('A launch cannot be undone.');
    expect(look(() => ({}))).toContain('The file does not check that the quote is a fair price');
    expect(look((file) => ({ limits: file.limits.filter((limit) => limit.id !== 'sol-day') }))).toContain(
      'SOL has a limit per transaction but none over time',
    );
    expect(
      look((file) => ({
        rules: [...file.rules, { id: 'stop', operation: 'swap', effect: 'deny', why: 'not now' }],
      })),
    ).toContain('Rule trade never applies: rule stop denies the same.');
    expect(
      look((file) => ({
        rules: [...file.rules, { id: 'again', operation: 'vault_claim', effect: 'allow', why: 'once more' }],
      })),
    ).toContain('Rule again never decides: rule claim-vault comes first and covers everything it covers.');
    expect(look(() => ({ simulation: { required: false } }))).toContain('first is not required');
    expect(look(() => ({ approval: { ttlSeconds: 60, channels: ['elicitation'] } }), 'creator')).toContain(
      'Some clients answer by themselves.',
    );
  });

  it('points out nothing if nothing is signed', () => {
    expect(page('observer')).not.toContain('Look at these twice');
  });

  it('does not call a rule unreachable if its conditions are wider than earlier ones', () => {
    const text = sentences('creator', () => ({
      addressBook: [{ label: 'treasury', address: FRIEND }],
      rules: TWO_SETUPS,
    }));
    expect(text).not.toContain('never decides');
  });
});
