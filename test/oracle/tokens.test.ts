/** The oracle on lamports and tokens that the real runtime created and moved. */
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { addressOf, instruction, key, u64 } from './encode.ts';
import { Estate, TOKEN, WSOL } from './estate.ts';
import { FEES, harms, other, own, SOL } from './harms.ts';
import { inventoryOf } from './inventory.ts';
import { worse } from './judge.ts';

describe('lamports of a wallet', () => {
  it('are counted, and an outflow to an unknown address is reported', () => {
    const estate = new Estate();
    const away = SystemProgram.transfer({ fromPubkey: own(estate), toPubkey: other(estate), lamports: SOL });
    expect(harms(estate, away)).toEqual([
      expect.stringMatching(/^SOL: 10000\d+ less than allowed|^SOL: 9999/),
    ]);
  });

  it('count wherever the wallet can recover them: wrapped, in a nonce, a token account or a table', () => {
    const estate = new Estate();
    const before = inventoryOf([estate.wallet], estate.snapshot());
    estate.wrapped('wrapped', SOL);
    estate.nonce('nonce');
    estate.table([addressOf('entry')]);
    const mint = addressOf('others mint');
    estate.know(mint);
    const after = inventoryOf([estate.wallet], estate.snapshot());
    expect(worse(before, after, { out: { SOL: FEES } })).toEqual([]);
  });

  it('do not count in a wallet owned by a program, nor in one with data', () => {
    const assigned = new Estate();
    const [toToken, enlarged] = [
      SystemProgram.assign({ accountPubkey: own(assigned), programId: new PublicKey(TOKEN) }),
      SystemProgram.allocate({ accountPubkey: own(assigned), space: 10 }),
    ];
    // A second wallet of ours, since the fee payer cannot be given away in its own transaction.
    const second = addressOf('second wallet');
    const keys = [assigned.wallet, second];
    for (const taken of [toToken, enlarged]) {
      const estate = new Estate();
      estate.run(
        SystemProgram.transfer({ fromPubkey: own(estate), toPubkey: new PublicKey(second), lamports: SOL }),
      );
      estate.know(second);
      const before = inventoryOf(keys, estate.snapshot());
      for (const each of taken.keys) each.pubkey = new PublicKey(second);
      estate.run(taken);
      const found = worse(before, inventoryOf(keys, estate.snapshot()), { out: { SOL: FEES } });
      expect(found).toEqual([expect.stringMatching(/^SOL: /), `lost: wallet of ${second}`]);
    }
  });
});

describe('token accounts', () => {
  const setAuthority = (account: string, kind: number, to: string, by: string, program = TOKEN) =>
    instruction(
      program,
      [
        [account, 'w'],
        [by, 's'],
      ],
      [6, kind, 1, ...key(to)],
    );
  const CLOSE = 3;
  const OWNER = 2;

  it('exclude lamports that a foreign close authority can take, wrapped SOL included', () => {
    const estate = new Estate();
    const [wrapped, mint] = [estate.wrapped('wrapped', SOL), estate.mint('mint')];
    const tokens = estate.tokens('tokens', mint, 500n);
    const found = harms(estate, setAuthority(wrapped, CLOSE, estate.stranger, estate.wallet));
    expect(found).toEqual([
      expect.stringMatching(/^SOL: 1001989280|^SOL: /),
      `stranger: ${estate.stranger} is close authority of ${wrapped}`,
    ]);
    expect(harms(estate, setAuthority(tokens, CLOSE, estate.stranger, estate.wallet))).toEqual([
      expect.stringMatching(/^SOL: 19\d+ less than allowed$/),
      `stranger: ${estate.stranger} is close authority of ${tokens}`,
    ]);
  });

  it("that a stranger created and may close do not offset the wallet's outflow", () => {
    const estate = new Estate();
    const trap = estate.wrapped('trap', 0n);
    estate.run(setAuthority(trap, CLOSE, estate.stranger, estate.wallet));
    const into = SystemProgram.transfer({
      fromPubkey: own(estate),
      toPubkey: new PublicKey(trap),
      lamports: 50n * SOL,
    });
    expect(harms(estate, into, instruction(TOKEN, [[trap, 'w']], [17]))).toEqual([
      expect.stringMatching(/^SOL: 49999\d+ less than allowed$/),
    ]);
  });

  it('exclude amounts a delegate may spend', () => {
    const estate = new Estate();
    const mint = estate.mint('mint');
    const tokens = estate.tokens('tokens', mint, 500n);
    const approve = instruction(
      TOKEN,
      [[tokens, 'w'], [estate.stranger], [estate.wallet, 's']],
      [4, ...u64(200n)],
    );
    expect(harms(estate, approve)).toEqual([
      `${mint}: 200 less than allowed`,
      `stranger: ${estate.stranger} is delegate of ${tokens}`,
    ]);
  });

  it('are reported if transferred, frozen or burnt, and not if closed into the wallet', () => {
    for (const make of [
      (estate: Estate, tokens: string) => setAuthority(tokens, OWNER, estate.stranger, estate.wallet),
      (estate: Estate, tokens: string, mint: string) =>
        instruction(TOKEN, [[tokens, 'w'], [mint], [estate.wallet, 's']], [10]),
      (estate: Estate, tokens: string, mint: string) =>
        instruction(
          TOKEN,
          [
            [tokens, 'w'],
            [mint, 'w'],
            [estate.wallet, 's'],
          ],
          [8, ...u64(500n)],
        ),
    ]) {
      const estate = new Estate();
      const mint = estate.mint('mint');
      const tokens = estate.tokens('tokens', mint, 500n);
      expect(harms(estate, make(estate, tokens, mint))).toContain(`${mint}: 500 less than allowed`);
    }
    const estate = new Estate();
    const wrapped = estate.wrapped('wrapped', SOL);
    const close = instruction(
      TOKEN,
      [
        [wrapped, 'w'],
        [estate.wallet, 'w'],
        [estate.wallet, 's'],
      ],
      [9],
    );
    expect(harms(estate, close)).toEqual([]);
  });

  it('are reported if transferred empty, since later deposits would be lost', () => {
    const estate = new Estate();
    const tokens = estate.tokens('tokens', estate.mint('mint'), 0n);
    expect(harms(estate, setAuthority(tokens, OWNER, estate.stranger, estate.wallet))).toContain(
      `lost: owner of ${tokens}`,
    );
  });

  it('of others count as far as the wallet is their delegate', () => {
    const estate = new Estate();
    const mint = estate.mint('mint');
    const [cold, taken] = [
      addressOf('cold wallet'),
      estate.tokens('taken', mint, 0n, { owner: estate.stranger }),
    ];
    const tokens = estate.tokens('cold tokens', mint, 900n, { owner: cold });
    estate.run(instruction(TOKEN, [[tokens, 'w'], [estate.wallet], [cold, 's']], [4, ...u64(900n)]));
    const spend = instruction(
      TOKEN,
      [
        [tokens, 'w'],
        [taken, 'w'],
        [estate.wallet, 's'],
      ],
      [3, ...u64(900n)],
    );
    expect(harms(estate, spend)).toContain(`${mint} as delegate: 900 less than allowed`);
  });

  it('of a multisig with the wallet as signer are listed apart and reported', () => {
    const estate = new Estate();
    const mint = estate.mint('mint');
    const multisig = estate.create('multisig', 355, TOKEN);
    estate.run(instruction(TOKEN, [[multisig, 'w'], [estate.wallet], [addressOf('partner')]], [19, 1]));
    const tokens = estate.tokens('common tokens', mint, 700n, { owner: multisig });
    const taken = estate.tokens('taken', mint, 0n, { owner: estate.stranger });
    const spend = [tokens, taken].map((each) => [each, 'w'] as const);
    const found = harms(
      estate,
      instruction(TOKEN, [...spend, [multisig], [estate.wallet, 's']], [3, ...u64(700n)]),
    );
    expect(found).toEqual([`${mint} of multisig ${multisig}: 700 less than allowed`]);
  });

  it('of a new mint whose issuer can freeze or spend them are reported as foreign control', () => {
    const estate = new Estate();
    const mint = estate.mint('mint', TOKEN, estate.stranger);
    const account = estate.create('tokens', 165, TOKEN);
    const found = harms(estate, instruction(TOKEN, [[account, 'w'], [mint]], [18, ...key(estate.wallet)]));
    expect(found).toEqual([`stranger: ${estate.stranger} is freezer of the holders of ${mint}`]);
  });

  it('of wrapped SOL count as SOL and not as a token', () => {
    const estate = new Estate();
    estate.wrapped('wrapped', SOL);
    const { amounts } = inventoryOf([estate.wallet], estate.snapshot());
    expect(amounts.has(WSOL)).toBe(false);
  });
});
