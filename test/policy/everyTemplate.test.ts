/**
 * A hostile service swaps one field (claimers, shares, admin, partner, config type, fee limits, mints, token program,
 * recipients, tip, fee …) in an otherwise honest plan, built, hashed and signed with its own code and keys. No template
 * signs it: with supported instructions (exact binding), with one unsupported instruction beside them, or with all work
 * in an unsupported program (effects binding).
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, ReasonCode } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { policyTemplate, TEMPLATE_NAMES } from '../../src/review/templates/templates.ts';
import { labelOf } from './label.ts';
import { type Binding, FRIENDS, type Scene, Scenes } from './scenes.ts';
import { load, NOTHING_USED } from './world.ts';

let scenes: Scenes;
beforeAll(async () => {
  scenes = await Scenes.start();
});
afterAll(() => scenes.close());

type Template = (typeof TEMPLATE_NAMES)[number];

/** A field, its change (a named attack or an inline one), the scenes, and the reason of the refusal. */
type Field = readonly [
  row: string,
  field: string,
  scene: Scene,
  swap: string,
  code: ReasonCode,
  check: RegExp,
];

const FIELDS: readonly Field[] = [
  ['T54', 'claimers', 'config', 'claimers-replaced', 'REQUEST_MISMATCH', /claimersWritten/],
  ['T63', 'basis points', 'config', 'shares-shifted', 'REQUEST_MISMATCH', /claimersWritten/],
  ['T63', 'one claimer more', 'config', 'claimer-slipped-in', 'REQUEST_MISMATCH', /claimersWritten/],
  ['T63', 'admin', 'config', 'admin-replaced', 'REQUEST_MISMATCH', /manager/],
  ['T63', 'partner', 'config', 'partner-replaced', 'REQUEST_MISMATCH', /partner/],
  ['T63', 'config type', 'config', 'type-changed', 'REQUEST_MISMATCH', /curveFee/],
  ['T63', 'first-swap flag', 'config', 'first-swap-changed', 'REQUEST_MISMATCH', /firstSwapFee/],
  ['T54', 'base mint', 'config', 'base-mint-replaced', 'REQUEST_MISMATCH', /configToken/],
  ['T54', 'quote mint', 'config', 'quote-mint-replaced', 'REQUEST_MISMATCH', /curveQuote/],
  ['T63', 'curve’s claimer', 'config', 'curve-earns-elsewhere', 'REQUEST_MISMATCH', /curveClaimer/],
  ['T23', 'tip lamports', 'config', 'tip-inflated', 'REQUEST_MISMATCH', /tip/],
  ['T23', 'tip wallet', 'config', 'tip-redirected', 'REQUEST_MISMATCH', /tipWallet/],
  ['T47', 'payer', 'config', 'payer', 'FEE_PAYER_MISMATCH', /PaysFee/],
  ['T54', 'claimers of a changed split', 'update', 'update-replaced', 'REQUEST_MISMATCH', /claimersInPlaces/],
  ['T54', 'metadata link', 'new token', 'link-replaced', 'REQUEST_MISMATCH', /metadataLink/],
  ['T137', 'name', 'new token', 'token-renamed', 'REQUEST_MISMATCH', /tokenName/],
  ['T26', 'initial buy', 'direct launch', 'first-buy-inflated', 'REQUEST_MISMATCH', /initialBuy/],
  ['T92', 'locked liquidity', 'direct launch', 'liquidity-not-locked', 'REQUEST_MISMATCH', /liquidityLocked/],
  ['T23', 'tip of a launch', 'direct launch', 'tip-redirected', 'REQUEST_MISMATCH', /tipWallet/],
  ['T47', 'payer of a claim', 'position claim', 'claim-charges-the-wallet', 'FEE_PAYER_MISMATCH', /PaysFee/],
  ['T20', 'output mint', 'swap', 'fake-mint', 'REQUEST_MISMATCH', /boughtToken/],
  ['T54', 'input mint', 'swap', 'input mint', 'UNEXPECTED_INSTRUCTION', /instructionBelongs/],
  ['T54', 'input amount', 'swap', 'quote-inflated', 'REQUEST_MISMATCH', /wrappedAmount|quotedInput/],
  ['T19', 'token program', 'sale', 'fake-token-program', 'PROGRAM_NOT_ALLOWED', /programAllowed/],
  ['T25', 'least that arrives', 'swap', 'half swapped', 'REQUEST_MISMATCH', /quotedMinimum/],
  ['T25', 'least that arrives', 'sale', 'nothing-arrives', 'REQUEST_MISMATCH', /quotedMinimum|swap/],
  ['T25', 'taker', 'swap', 'delivered-elsewhere', 'REQUEST_MISMATCH', /destination/],
  ['T47', 'payer of a swap', 'swap', 'payer', 'FEE_PAYER_MISMATCH', /PaysFee/],
  ['T24', 'service fee', 'swap', 'service-fee-inflated', 'REQUEST_MISMATCH', /quotedInput/],
  [
    'T24',
    'service fee mint',
    'swap',
    'service-fee-in-dollars',
    'UNEXPECTED_INSTRUCTION',
    /instructionBelongs/,
  ],
  ['T24', 'service fee receiver', 'swap', 'service fee receiver', 'REQUEST_MISMATCH', /trackingTransfer/],
];

const failedOf = ({ checks }: Decision) => checks.filter(({ ok }) => !ok);

/** Decides under a template with every wallet of the requests in the address book. */
async function decided(template: Template, scene: Scene, binding: Binding, swap?: string): Promise<Decision> {
  const { wallet, network, servicePrograms } = scenes;
  const file = policyTemplate(template, { wallet, network, servicePrograms });
  const inputs = await scenes.inputs(scene, binding, swap);
  return evaluate(inputs, load({ ...file, addressBook: FRIENDS }), NOTHING_USED);
}

describe('no template signs a plan with one field swapped by the service (T19, T20, T23, T24, T25, T26, T47, T54, T63)', () => {
  it.each(FIELDS)('%s %s, in a %s: denied for that field', async (_row, _field, scene, swap, code, check) => {
    for (const template of TEMPLATE_NAMES) {
      const decision = await decided(template, scene, 'exact', swap);
      expect([template, decision.effect, decision.binding]).toEqual([template, 'deny', 'exact']);
      const own = failedOf(decision).filter((each) => each.code === code && check.test(labelOf(each)));
      expect([template, own.length > 0]).toEqual([template, true]);
    }
  });
});

/** Codes about the bytes and their effects, independent of the template's view of the operation. */
const ABOUT_BYTES: readonly (ReasonCode | undefined)[] = [
  ...(['REQUEST_MISMATCH', 'UNEXPECTED_INSTRUCTION', 'UNDECLARED_LOSS', 'PROGRAM_NOT_ALLOWED'] as const),
  ...(['FEE_PAYER_MISMATCH', 'SIGNERS_MISMATCH', 'SIMULATION_FAILED'] as const),
];
const aboutBytes = (decision: Decision) =>
  failedOf(decision).filter(({ code }) => ABOUT_BYTES.includes(code));
const UNSUPPORTED = 'the claimers are unknown';
/** Fields that move no asset and are invisible inside a program. */
const ABOUT_WHO_EARNS: readonly Scene[] = [...(['config', 'update', 'new token', 'direct launch'] as const)];

describe.each(['beside', 'hidden'] as const)(
  'no template signs it beside an unsupported instruction placed %s (T16, T20, T23, T24, T25, T26, T47, T54, T63)',
  (binding) => {
    it.each(FIELDS)(
      '%s %s, in a %s: denied, or approval names the unsupported part',
      async (_row, _field, scene, swap) => {
        for (const template of TEMPLATE_NAMES) {
          const decision = await decided(template, scene, binding, swap);
          expect([template, decision.effect]).not.toEqual([template, 'allow']);
          expect(decision.binding).toBe('effects');
          if (aboutBytes(decision).length > 0) {
            expect(decision.effect).toBe('deny');
            continue;
          }
          // Neither bytes nor effects show it, so no template may allow it.
          expect(ABOUT_WHO_EARNS).toContain(scene);
          const forbidden = failedOf(decision).some(({ code }) => code === 'NO_RULE');
          if (!forbidden) {
            expect(
              failedOf(decision)
                .map(({ observed }) => observed)
                .join('\n'),
            ).toContain(UNSUPPORTED);
          }
          if (decision.effect === 'require_approval') expect(explain(decision)).toContain(UNSUPPORTED);
        }
      },
    );
  },
);

/** Scenes whose fee share accounts may not be passed to an unsupported program. */
const FENCED: readonly Scene[] = ['update', 'position claim'];

describe('the honest plan for the same request', () => {
  it.each([...new Set(FIELDS.map(([, , scene]) => scene))])('is allowed: %s', async (scene) => {
    for (const binding of ['exact', 'beside', 'hidden'] as const) {
      for (const template of TEMPLATE_NAMES) {
        const decision = await decided(template, scene, binding);
        expect([binding, template, aboutBytes(decision)]).toEqual([binding, template, []]);
      }
      const decision = await decided('sandbox', scene, binding);
      const isLeft = binding !== 'exact' && ABOUT_WHO_EARNS.includes(scene);
      const isFenced = binding === 'hidden' && FENCED.includes(scene);
      const expected = isFenced ? 'deny' : isLeft ? 'require_approval' : 'allow';
      expect([binding, decision.effect]).toEqual([binding, expected]);
      if (isFenced) expect(explain(decision)).toContain('would get access to assets of the wallet');
      else if (isLeft) expect(explain(decision)).toContain(UNSUPPORTED);
    }
  });
});
