/** Attackers' programs on the real runtime. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relayed } from '../../../sandbox/attacks/service/relay.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/index.ts';
import { codeOf, dataAccountOf, deploy, deployUpgradeable } from '../../../sandbox/programs/deploy.ts';
import { compiledProgram } from '../../../sandbox/programs/standIns.ts';
import { budgetFor, compileDraft } from '../../../sandbox/service/build/compile.ts';
import { ata, createAta, systemTransfer } from '../../../sandbox/service/build/tokens.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 'hostile programs', clock: 'manual' });
  sandbox.advanceSlots(2);
});
afterAll(() => sandbox.close());

const key = (name: string) => sandbox.service.keys.seeded(name).address;

/** Executes instructions of the wallet. */
function land(instructions: readonly EncodedInstruction[]) {
  const { wallet } = sandbox.service.keys;
  const draft = {
    format: 'v0' as const,
    feePayer: wallet.address,
    instructions,
    budget: budgetFor(2 * instructions.length),
    signers: [wallet],
  };
  const outcome = sandbox.chain.submit(compileDraft(draft, sandbox.service.onchain.lifetime()).bytes);
  sandbox.advanceSlots(1);
  if (!outcome.landed) throw new Error(JSON.stringify(outcome.err));
  return outcome.record;
}

describe('the forwarding program', () => {
  it('forwards the instruction to the inner program with the accounts and privileges it was given', () => {
    const relay = key('relay');
    deploy(sandbox.chain, relay, compiledProgram('relay'));
    const wallet = sandbox.wallet.address;
    const wsol = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM };
    const pass = relayed(relay);
    const { err, innerInstructions } = land([
      pass(systemTransfer(wallet, key('recipient'), 5_000_000n)),
      // A program that receives the same account twice and makes cross-program calls.
      pass(createAta(wallet, wallet, wsol)),
    ]);
    expect(err).toBeNull();
    expect(innerInstructions.map(({ index }) => index)).toEqual([2, 3]);
    expect(sandbox.chain.getAccount(key('recipient'))?.lamports).toBe(5_000_000n);
    expect(sandbox.chain.getAccount(ata(wallet, wsol))?.owner).toBe(TOKEN_PROGRAM);
  });

  it('forwards no privilege that it was not given', () => {
    const relay = key('relay');
    const [transfer] = [systemTransfer(key('rich'), key('recipient'), 1n)];
    const accounts = transfer.accounts.map((account) => ({ ...account, signer: false }));
    sandbox.chain.airdrop(key('rich'), 1_000_000_000n);
    expect(land([relayed(relay)({ ...transfer, accounts })]).err).not.toBeNull();
  });
});

describe('an upgradeable program', () => {
  it('runs the code in its data account, and the new code after an upgrade', () => {
    const address = key('replaceable');
    const authority = key('author');
    const { chain } = sandbox;
    const steal = relayed(address)(systemTransfer(sandbox.wallet.address, key('thief'), 7_000_000n));
    deployUpgradeable(chain, address, compiledProgram('harmless'), { slot: 1, authority });
    sandbox.advanceSlots(1);
    expect(land([steal]).err).toBeNull();
    expect(chain.getAccount(key('thief'))).toBeNull();
    deployUpgradeable(chain, address, compiledProgram('relay'), { slot: 2, authority });
    sandbox.advanceSlots(1);
    expect(land([steal]).err).toBeNull();
    expect(chain.getAccount(key('thief'))?.lamports).toBe(7_000_000n);
    expect(codeOf(chain, address)).toEqual(compiledProgram('relay'));
    const account = chain.getAccount(address);
    expect(account && dataAccountOf(account)).not.toBe(undefined);
  });
});
