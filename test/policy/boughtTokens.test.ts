/** Tokens of a trade: transfer fees, powers of the issuer, and freeze authorities (T59). */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import { freezeKey } from '../../src/policy/decide/reasons.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { stageFrom } from '../../src/statement/view.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { extendedMint, mint, transferFee } from './accountFacts.ts';
import { approvalOfStage, approvedView, coverage } from './approving.ts';
import { keyNamed } from './people.ts';
import { answered, plus, quoted, withArgs, withFacts } from './recorded/edits.ts';
import {
  ATTACKER,
  decide,
  policyFor,
  policyWith,
  rewritten,
  stage,
  stated,
  WALLET,
} from './recorded/stages.ts';

const swap = stage('swap of SOL');
const sale = stage('swap for SOL');
const bought = String(swap.quote?.quote.outputMint);
const usual = policyFor('');

const tokens = (change: PolicyFile['tokens']): LoadedPolicy =>
  policyWith((file) => ({ tokens: { ...file.tokens, ...change } }));
const failed = ({ checks }: Decision) => checks.filter(({ ok }) => !ok).map(({ id }) => id);
const issuedBy = (changed: AccountFact): DecisionInputs => withFacts(swap, changed);

describe('the transfer fee of a bought token', () => {
  const taxed = (older: number, newer: number) =>
    issuedBy(extendedMint(bought, [1, transferFee(undefined, older, newer)]));
  const listed = tokens({ mints: [bought, 'SOL'] });

  it.each([
    [5_000, 0],
    [0, 5_000],
    [0, 10_000],
  ])('T164 is refused from one half, in either schedule and for a listed token: %i, %i', (older, newer) => {
    for (const policy of [usual, listed]) {
      const decision = decide(taxed(older, newer), policy);
      expect(decision.effect).toBe('deny');
      expect(decision.reasonCodes).toContain('TOKEN_EXTENSION_DENIED');
    }
  });

  it('may be below one half, and does not prevent a sale', () => {
    expect(decide(taxed(4_999, 4_999), listed).effect).toBe('allow');
    const sold = String(sale.quote?.quote.inputMint);
    const selling = withFacts(sale, extendedMint(sold, [1, transferFee(undefined, 0, 10_000)]));
    expect(decide(selling).reasonCodes).not.toContain('TOKEN_EXTENSION_DENIED');
  });
});

describe("T180 an issuer's right over a bought token", () => {
  const authority = addressBytes(ATTACKER);
  const none = new Uint8Array(32);
  const permissive = (file: PolicyFile) => ({ ...file.tokens, extensions: { deny: [] } });
  const anyExtension = policyWith((file) => ({ tokens: permissive(file) }));
  const askResult = (inputs: DecisionInputs, policy = anyExtension) => {
    const decision = decide(inputs, policy);
    return { effect: decision.effect, checks: decision.checks.filter(({ code }) => code === 'ISSUER_POWER') };
  };
  const frozen = extendedMint(bought, [6, Uint8Array.of(2)]);

  it.each([
    ['freeze', mint(bought, { freezeAuthority: ATTACKER })],
    ['the fee', extendedMint(bought, [1, transferFee(ATTACKER, 0, 0)])],
    ['close', extendedMint(bought, [3, authority])],
    ['delegate', extendedMint(bought, [12, authority])],
    ['hook program', extendedMint(bought, [14, Buffer.concat([none, authority])])],
    ['hook authority', extendedMint(bought, [14, Buffer.concat([authority, none])])],
    ['pause', extendedMint(bought, [26, Buffer.concat([authority, Uint8Array.of(0)])])],
  ])('asks, naming the right, the mint and its holder: %s', (_, issued) => {
    const { effect, checks } = askResult(issuedBy(issued));
    expect(effect).toBe('require_approval');
    expect(checks).toHaveLength(1);
    expect(checks[0]?.params?.mint).toBe(bought);
    expect(checks[0]?.observed).toContain(ATTACKER);
    // The owner listed the token.
    const known = policyWith((file) => ({ tokens: { ...permissive(file), mints: [bought, 'SOL'] } }));
    expect(askResult(issuedBy(issued), known)).toEqual({ effect: 'allow', checks: [] });
  });

  it('asks about a mint authority in live mode', () => {
    const issued = issuedBy(mint(bought, { mintAuthority: ATTACKER }));
    const live = { ...issued, mode: 'live', plan: { ...issued.plan, mode: 'live' } } as const;
    expect(askResult(live)).toMatchObject({
      effect: 'require_approval',
      checks: [{ observed: expect.stringContaining(ATTACKER) }],
    });
    expect(askResult(issued)).toEqual({ effect: 'allow', checks: [] });
  });

  it.each([
    ['a fee that nobody can change', extendedMint(bought, [1, transferFee(undefined, 0, 300)])],
    ['accounts that begin frozen', frozen],
    ['an extension without a reader', extendedMint(bought, [28, authority])],
    ['amounts that wallets show with interest', extendedMint(bought, [10, new Uint8Array(52)])],
    ['amounts that wallets show multiplied', extendedMint(bought, [25, new Uint8Array(56)])],
  ])('asks if no holder is named: %s', (_, issued) => {
    expect(askResult(issuedBy(issued))).toMatchObject({
      effect: 'require_approval',
      checks: [{ ok: false }],
    });
  });

  it('names both fees if a newer schedule is announced', () => {
    const data = Buffer.from(transferFee(ATTACKER, 100, 4_000));
    data.writeBigUInt64LE(700n, 90);
    const [{ observed } = { observed: '' }] = askResult(issuedBy(extendedMint(bought, [1, data]))).checks;
    expect(observed).toContain('1%');
    expect(observed).toContain('40%');
    expect(observed).toContain('700');
  });

  it.each([
    ['no one holds any', mint(bought, {})],
    ['the extensions are descriptions', extendedMint(bought, [18, Buffer.concat([authority, authority])])],
    ['the hook is absent and cannot be set', extendedMint(bought, [14, new Uint8Array(64)])],
  ])('does not ask if %s', (_, issued) => {
    expect(askResult(issuedBy(issued))).toEqual({ effect: 'allow', checks: [] });
  });

  it('does not ask about a right of our own wallet', () => {
    const ours = mint(bought, { mintAuthority: WALLET, freezeAuthority: WALLET });
    expect(askResult(issuedBy(ours)).checks).toEqual([]);
  });

  it('does not ask about a sold token or SOL', () => {
    const sold = String(sale.quote?.quote.inputMint);
    expect(askResult(withFacts(sale, mint(sold, { freezeAuthority: ATTACKER }))).checks).toEqual([]);
  });

  it('is covered by an approval of the same rights, and another right asks again', () => {
    const inputs = issuedBy(mint(bought, { freezeAuthority: ATTACKER }));
    const approval = approvalOfStage(inputs, usual);
    expect(evaluate(inputs, usual, approvedView(decide(inputs), inputs)).effect).toBe('allow');
    expect(coverage(approval, inputs, usual)).toEqual({ covered: true });
    const other = issuedBy(mint(bought, { freezeAuthority: bought }));
    expect(coverage(approval, other, usual)).toMatchObject({ covered: false, line: 'issuer' });
  });
});

describe('the service fee', () => {
  const CHECK = 'quotedFee';
  const lamports = 5_000_000n;

  it('T25 is at most that of the stored quote, regardless of the answer', () => {
    const fee = String(swap.quote?.quote.feeLamports);
    expect(BigInt(fee)).toBe(lamports);
    expect(failed(decide(quoted(swap, { feeLamports: `${lamports - 1n}` })))).toContain(CHECK);
    expect(failed(decide(quoted(swap, { feeLamports: `${lamports / 10n}` })))).toContain(CHECK);
    const taken = answered(withArgs(swap, 'system.transfer', { lamports: lamports * 2n }, 1), {
      feeLamports: `${lamports * 2n}`,
    });
    expect(failed(decide(taken))).toContain(CHECK);
  });

  it('is taken from the side named in the quote', () => {
    expect(failed(decide(quoted(swap, { feeSide: 'output' })))).toContain(CHECK);
    expect(failed(decide(quoted(sale, { feeSide: 'input' })))).toContain(CHECK);
  });

  it('may be at most the quoted one, or any stated one if the quote names none', () => {
    for (const inputs of [swap, sale, quoted(swap, { feeLamports: `${lamports + 1n}` })])
      expect(failed(decide(inputs))).toEqual([]);
    expect(failed(decide(quoted(swap, { feeLamports: undefined })))).toEqual([]);
  });
});

/** A policy that denies no extension, so that the owner is asked. */
const permissive = policyWith((file) => ({ tokens: { ...file.tokens, extensions: { deny: [] } } }));
const authority = addressBytes(ATTACKER);
const none = new Uint8Array(32);
const feeOf = (older: number, newer: number, olderMost: bigint, newerMost: bigint) => {
  const data = Buffer.from(transferFee(ATTACKER, older, newer));
  data.writeBigUInt64LE(olderMost, 80);
  data.writeBigUInt64LE(newerMost, 98);
  return extendedMint(bought, [1, data]);
};
const by = (power: string, holder: string | null = ATTACKER) => ({ power, holder });

it.each<readonly [string, AccountFact, readonly object[]]>([
  ['an issuer without powers', mint(bought, {}), []],
  ['mint', mint(bought, { mintAuthority: ATTACKER }), [by('mint')]],
  ['freeze', mint(bought, { freezeAuthority: ATTACKER }), [by('freeze')]],
  ['close', extendedMint(bought, [3, authority]), [by('close')]],
  ['delegate', extendedMint(bought, [12, authority]), [by('permanentDelegate')]],
  ['hook program', extendedMint(bought, [14, Buffer.concat([none, authority])]), [by('hook')]],
  ['hook authority', extendedMint(bought, [14, Buffer.concat([authority, none])]), [by('hook')]],
  ['pause', extendedMint(bought, [26, Buffer.concat([authority, Uint8Array.of(0)])]), [by('pause')]],
  ['frozen accounts', extendedMint(bought, [6, Uint8Array.of(2)]), [by('opensFrozen', null)]],
  [
    'amounts that wallets show multiplied',
    extendedMint(bought, [25, new Uint8Array(56)]),
    [by('displayedAmount', null)],
  ],
  ['a rising fee', feeOf(100, 400, 7n, 9n), [{ ...by('transferFee'), maxBps: 400, maxFee: 9n }]],
  ['a falling fee', feeOf(400, 100, 9n, 7n), [{ ...by('transferFee'), maxBps: 400, maxFee: 9n }]],
])('%s', (_, issued, expected) => {
  const accounts = [...swap.accounts.filter(({ address }) => address !== bought), issued];
  const { lines } = stageFrom(stated({ ...swap, accounts }, permissive).statement);
  const issuers = lines.filter((line) => line.id === 'issuer' && line.mint === bought);
  expect(issuers).toEqual(expected.map((each) => ({ id: 'issuer', source: 'chain', mint: bought, ...each })));
});

const program = keyNamed('a program the service has begun to use').address;
const call = (byte: number) => ({ programAddress: program, accounts: [], data: Uint8Array.of(byte) });
const key = (inputs: DecisionInputs) => {
  const decision = decide(inputs);
  expect(decision).toMatchObject({ effect: 'deny', class: 'security' });
  return freezeKey(decision);
};

describe('denials beside an unlisted program', () => {
  it('count once, however many messages call it and whatever it takes', () => {
    expect(key(plus(swap, call(1)))).toBe(`program ${program}`);
    expect(key(plus(swap, call(2)))).toBe(`program ${program}`);
    expect(key(rewritten(swap, (list) => [...list.slice(0, 2), call(3)]))).toBe(`program ${program}`);
  });

  const attacks = {
    'pays a stranger': systemTransfer(WALLET, ATTACKER, 5_000_000_000n),
    'closes an account in favour of a stranger': encodeInstruction('token.closeAccount', {
      accounts: {
        account: associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM),
        destination: ATTACKER,
        owner: WALLET,
      },
      args: {},
    }),
    'hands the wallet over': encodeInstruction('system.assign', {
      accounts: { account: WALLET },
      args: { owner: ATTACKER },
    }),
  };

  it.each(Object.entries(attacks))('count separately if an instruction also %s', (_, attack) => {
    const [one, two] = [1, 2].map((byte) => plus(plus(swap, call(byte)), attack));
    if (one === undefined || two === undefined) throw new Error('two messages');
    expect(key(one)).toBe(decide(one).messageSha256);
    expect(key(one)).not.toBe(key(two));
  });
});
