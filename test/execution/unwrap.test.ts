/** Unwrapping SOL: the plan is built by this program, and the policy rejects all other bytes (T189). */
import { expect, it, onTestFinished } from 'vitest';
import { budgetOf } from '../../sandbox/service/build/compile.ts';
import { createAta, systemTransfer, wrap } from '../../sandbox/service/build/tokens.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { accountsFrom } from '../oracle/accounts.ts';
import { inventoryOf } from '../oracle/inventory.ts';
import { worse } from '../oracle/judge.ts';
import { testKey } from '../transaction/keys.ts';
import { Home } from './home.ts';

const WRAPPED = 30_000_000n;
const stranger = testKey('stranger').address;

async function start(): Promise<Home> {
  const home = await Home.withoutMarket({});
  onTestFinished(async () => {
    await home.close();
    await home.sandbox.close();
  });
  home.sandbox.advanceSlots(4);
  return home;
}

const accountOf = (wallet: string) => associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
const lamportsOf = (home: Home, address: string) => home.sandbox.chain.getAccount(address)?.lamports ?? 0n;

/** Wraps some SOL of the wallet. */
function wrapSome(home: Home): void {
  const { onchain, keys } = home.sandbox.service;
  const wrapped = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };
  onchain.land({
    format: 'v0',
    feePayer: home.wallet,
    instructions: [createAta(home.wallet, home.wallet, wrapped), ...wrap(home.wallet, WRAPPED)],
    budget: budgetOf(60_000),
    signers: [keys.wallet],
  });
  home.sandbox.advanceSlots(4);
}

async function inventory(home: Home) {
  const named = [home.wallet, accountOf(home.wallet), WSOL_MINT];
  const { value } = await home.deps.chain.accounts(named, 'processed');
  return inventoryOf([home.wallet], accountsFrom(value));
}

it("is refused if nothing is wrapped; otherwise returns the wrapped SOL and the account's rent to the wallet", async () => {
  const home = await start();
  const build = () => home.plans.build('unwrapSol', { wallet: home.wallet });
  await expect(build()).rejects.toThrow(/no wrapped SOL/);
  wrapSome(home);
  const rent = lamportsOf(home, accountOf(home.wallet)) - WRAPPED;
  const before = lamportsOf(home, home.wallet);
  const { plan } = await build();
  expect(plan).toMatchObject({ operation: 'unwrap', status: 'ready', decision: { effect: 'allow' } });
  const done = await home.submit(plan?.planId ?? '');
  expect(done).toMatchObject({ status: 'complete' });
  expect(lamportsOf(home, home.wallet) - before).toBe(WRAPPED + rent - 5_000n);
  expect(lamportsOf(home, accountOf(home.wallet))).toBe(0n);
});

it('T189 transactions that close it to another key, close another account or do more are refused; the honest close lands', async () => {
  const home = await start();
  wrapSome(home);
  const close = (destination: string): EncodedInstruction =>
    encodeInstruction('token.closeAccount', {
      program: TOKEN_PROGRAM,
      accounts: { account: accountOf(home.wallet), destination, owner: home.wallet },
    });
  const hands = encodeInstruction('token.setAuthority', {
    program: TOKEN_PROGRAM,
    accounts: { owned: accountOf(home.wallet), authority: home.wallet },
    args: { authorityType: 'accountOwner', newAuthority: stranger },
  });
  const judged = (instructions: readonly EncodedInstruction[]) =>
    home.submitInstructions('unwrapSol', { wallet: home.wallet }, instructions);
  const before = await inventory(home);
  for (const [what, instructions] of [
    ['to another key', [close(stranger)]],
    ['with a payment beside it', [close(home.wallet), systemTransfer(home.wallet, stranger, 1_000_000n)]],
    ['a new owner instead', [hands]],
    ['nothing closed', [systemTransfer(home.wallet, home.wallet, 1n)]],
  ] as const) {
    const view = await judged([...instructions]);
    expect([what, view.status]).toEqual([what, 'denied']);
  }
  expect(home.signatures).toBe(0);
  expect(lamportsOf(home, stranger)).toBe(0n);
  expect(await judged([close(home.wallet)])).toMatchObject({ status: 'complete' });
  const harm = worse(before, await inventory(home), {
    out: { SOL: 5_000n },
    lost: [...before.rights.keys()],
  });
  expect(harm.filter((each) => !each.startsWith(WSOL_MINT))).toEqual([]);
});
