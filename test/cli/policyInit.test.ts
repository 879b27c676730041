/** `policy init`: questions asked, files written, files left alone (T72). */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { deployUpgradeable } from '../../sandbox/programs/deploy.ts';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import { policyCommand } from '../../src/cli/policy/policy.ts';
import { bagsProfile } from '../../src/contract/profiles/index.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import { SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import { keyNamed } from '../policy/people.ts';
import { run } from './terminal.ts';

const SLOT = 77;
const wallet = keyNamed('wallet').address;
const {
  dammV2 = '',
  dynamicBondingCurve: dbc = '',
  feeShareV2 = '',
  tokenCreationAuthority = '',
  globalLookupTable = '',
} = bagsProfile.addresses;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 'policy init', clock: 'manual' });
  const authority = keyNamed('author').address;
  deployUpgradeable(sandbox.chain, dammV2, compiledProgram('harmless'), { slot: SLOT, authority });
  // A service address that is an ordinary account.
  sandbox.chain.setAccount(tokenCreationAuthority, {
    lamports: 1_000_000n,
    owner: SYSTEM_PROGRAM,
    executable: false,
    data: new Uint8Array(),
  });
  sandbox.advanceSlots(3);
});
afterAll(() => sandbox.close());

const folder = () => mkdtempSync(join(tmpdir(), 'init-'));
const policy = (words: readonly string[], options = {}, typed?: readonly string[]) =>
  run(policyCommand, { home: folder(), words, options, ...(typed === undefined ? {} : { typed }) });
const all = (out: string) => ({ template: 'creator', wallet, out, 'rpc-url': sandbox.rpcUrl });
const written = (path: string) => {
  const parsed = parsePolicy(readFileSync(path, 'utf8'));
  if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
  return parsed.policy;
};

describe('countersign policy init', () => {
  it('asks nothing if every answer is given, and reports that the profile names no programs', async () => {
    const out = join(folder(), 'policy.json');
    const { code, prompts: asked, err } = await policy(['init'], all(out));
    expect([code, asked]).toEqual([0, []]);
    expect(err).toContain('service profile "contract"');
    expect(err).toContain('--profile bags');
    expect(written(out).programs.every(({ binding }) => binding === 'exact')).toBe(true);
  });

  it("lists only the profile's on-chain programs, with the slot of their code", async () => {
    const out = join(folder(), 'policy.json');
    const { code, err } = await policy(['init'], { ...all(out), profile: 'bags' });
    expect(code).toBe(0);
    const unsupported = written(out).programs.flatMap((entry) =>
      entry.binding === 'effects' ? [entry] : [],
    );
    // The sandbox's stand-ins are programs too, deployed in the first slot.
    const slots = new Map(unsupported.map(({ address, deployedSlot }) => [address, deployedSlot]));
    expect(new Set(slots.keys())).toEqual(new Set([dammV2, dbc, feeShareV2]));
    expect(slots.get(dammV2)).toBe(SLOT);
    expect([...slots.values()].every((slot) => typeof slot === 'number')).toBe(true);
    // Trades permit swaps, but neither liquidity removal nor claims.
    const trade = unsupported.filter(
      ({ address, operations }) => address === dammV2 && operations.includes('swap'),
    );
    expect(trade.flatMap(({ instructions }) => instructions)).toEqual([
      'f8c69e91e17587c8',
      '414b3f4ceb5b5b88',
    ]);
    expect(err).toMatch(/they are not programs on this chain: .*tokenCreationAuthority/);
    expect(err).toContain('globalLookupTable');
    expect(err).not.toContain('Listed without instructions');
    expect(globalLookupTable).not.toBe('');
  });

  it('asks for the profile together with other questions and uses the first on empty input', async () => {
    for (const [answer, profile] of [
      ['bags', 'bags'],
      ['', 'contract'],
    ] as const) {
      const out = join(folder(), 'policy.json');
      const typed = ['creator', answer, out, sandbox.rpcUrl];
      const { code, prompts: asked, err } = await policy(['init'], { wallet }, typed);
      expect(code).toBe(0);
      expect(asked[1]).toMatch(/^Service profile, .*contract, bags; Enter for contract/);
      expect(err).toContain(`service profile "${profile}"`);
    }
  });
});
