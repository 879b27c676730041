/**
 * The table of docs/contract.md: the kinds of plans the service builds, with the decisions of the shipped templates.
 * Kinds of supported instructions are `exact` and decided by their rule; the others are unsupported and ask. No kind is
 * refused for its composition. `npm run gen` writes the page from these records.
 */

import { expect, it } from 'vitest';
import { DBC_PROGRAM } from '../../../sandbox/programs/addresses.ts';
import type { KindRow } from '../../../scripts/contractPage.ts';
import { CLAIM_ALL } from '../../../src/plan/claimAll.ts';
import { partnerConfigAddress } from '../../../src/programs/feeShare/addresses.ts';
import { encodeInstruction } from '../../../src/programs/instructions.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { keyNamed } from '../people.ts';
import { type Change, edited, RealWorld } from '../realOperations.ts';
import type { Fields } from '../world.ts';
import {
  builtByPackages,
  claimsCurve,
  claimsPosition,
  inputsOfQuote,
  type Kind,
  rowOf,
  throughRoute,
  throughTitan,
  tipped,
} from './played.ts';

it('every kind of plan is decided as in the table', async () => {
  const real = await RealWorld.start('kinds');
  const { world, wallet } = real;
  const { state } = world.sandbox.service;
  const rows: KindRow[] = [];
  const play = async (
    kind: string,
    template: Kind['template'],
    endpoint: Kind['endpoint'],
    fields: Fields,
    more: Pick<Kind, 'instead'> = {},
  ) => {
    world.sandbox.chain.airdrop(wallet, 3_000_000_000n);
    rows.push(await rowOf(real, { kind, template, endpoint, fields, ...more }));
  };
  const config = async (name: string, shares: readonly number[], extra: Fields) => {
    const token = await world.token();
    await play(name, 'creator', 'feeShareConfig', world.configRequest(token.mint, shares, extra));
    return token;
  };
  const withPartner = { flow: 'dbc', partner: wallet, partnerConfig: partnerConfigAddress(wallet) };
  const keyOf = async (mint: string) => {
    const fields = world.configRequest(mint, [10_000], withPartner);
    return String(Object(await world.call('feeShareConfig', fields)).venueConfigKey);
  };
  const even = (count: number) => Array<number>(count).fill(10_000 / count);
  try {
    await config('config of three claimers, for a curve', [5000, 3000, 2000], { flow: 'dbc' });
    const split = await config('config of three claimers, for a pool', [5000, 3000, 2000], {});
    await config('config with a tip', [10_000], { tipWallet: tipped, tipLamports: 1_000_000 });
    await config('config of 25 claimers, with a lookup table', even(25), {});
    await config('config of 100 claimers, over several rounds', even(100), {});
    const partnered = await config('config with a partner, for a curve', [10_000], withPartner);
    const usdc = world.quote('USDC');
    const inUsdc = { flow: 'dbc', quoteMint: usdc };
    const dollars = await config('config in another quote than SOL, for a curve', [6000, 4000], inUsdc);
    await play('changed split', 'creator', 'updateFeeShareConfig', {
      ...{ baseMint: split.mint, payer: wallet, claimersArray: [wallet, keyNamed('claimer 1').address] },
      basisPointsArray: [6000, 4000],
    });

    const curve = async (name: string, endpoint: 'curveLaunch' | 'curveLaunchV2', buy: number) => {
      const token = await real.onCurve();
      const { mint, uri, configKey } = token;
      const launch = { tokenMint: mint, ipfs: uri, wallet, configKey };
      const fields =
        endpoint === 'curveLaunch'
          ? { ...launch, initialBuyLamports: buy }
          : { ...launch, quoteMint: WSOL_MINT, feeShareConfig: token.config, initialBuyQuoteRaw: `${buy}` };
      await play(name, 'creator', endpoint, fields);
      return token;
    };
    const token = await curve('launch on a curve with a first buy, bare', 'curveLaunch', 100_000_000);
    await curve('launch on a curve with a first buy, in stages', 'curveLaunchV2', 100_000_000);
    await curve('launch on a curve without a first buy', 'curveLaunch', 0);

    const answer = Object(
      await world.call('feeShareConfig', world.configRequest(dollars.mint, [6000, 4000], inUsdc)),
    );
    await play('launch on a curve in another quote than SOL', 'creator', 'curveLaunchV2', {
      ...{ tokenMint: dollars.mint, ipfs: dollars.uri, wallet, quoteMint: usdc },
      ...{ configKey: answer.venueConfigKey, feeShareConfig: answer.feeShareConfig },
    });

    const pool = async (name: string, deposits: typeof state.poolDeposits) => {
      state.poolDeposits = deposits;
      const made = await world.landedConfig();
      await play(name, 'creator', 'dammLaunchV2', real.poolRequest(made, '100000000'));
      state.poolDeposits = 'service';
      return made;
    };
    const pooled = await pool('launch into a pool with lock and first buy, the service deposits', 'service');
    await pool('the same, the service wraps its SOL in the same transaction', 'service-wraps');
    await pool('the same, the wallet deposits the supply', 'wallet');
    const held = await world.token();
    const custody = { ipfs: held.uri, tokenMint: held.mint, wallet, quoteMint: WSOL_MINT };
    await play('launch into a pool whose positions a custody holds', 'creator', 'dammLaunch', custody);

    for (const through of ['venue', 'router'] as const) {
      state.swapsThrough = through;
      const by = through === 'venue' ? 'at the venue' : 'through Jupiter';
      await play(`purchase on a curve, ${by}`, 'trader', 'tradeSwap', (await real.buy(token.mint)).fields);
      await play(`purchase in a pool, ${by}`, 'trader', 'tradeSwap', (await real.buy(pooled.mint)).fields);
      await play(
        `sale on a curve, ${by}`,
        'trader',
        'tradeSwap',
        (await real.sell(token.mint, '100000000000')).fields,
      );
    }
    state.swapsThrough = 'venue';
    const router = async (name: string, call: typeof throughTitan) => {
      const { fields } = await real.buy(token.mint);
      const { quote } = await inputsOfQuote(real, fields);
      const least = BigInt(String(quote?.quote.minOutAmount));
      const paid = (BigInt(String(quote?.quote.inAmount)) * 99n) / 100n;
      const instead = edited(DBC_PROGRAM, 0, () => call(wallet, token.mint, paid, least));
      await play(name, 'trader', 'tradeSwap', fields, { instead });
    };
    await router('purchase on a curve, through Titan', throughTitan);
    await router('purchase on a curve, through the older instruction of Jupiter', throughRoute);

    const claim = (mint: string, kind: 'holding' | 'position') => ({
      feeClaimer: wallet,
      tokenMint: mint,
      source: { kind },
    });
    await play('claim of a curve, the wallet pays', 'creator', 'claimTxs', claim(token.mint, 'holding'));
    const inDollars = { inputMint: usdc, outputMint: dollars.mint, amount: '5000000' };
    await real.play('tradeSwap', await world.quoted(inDollars));
    await play('claim of a curve in another quote than SOL', 'creator', 'claimTxs', {
      ...claim(dollars.mint, 'holding'),
      quoteMint: usdc,
    });
    await play('claim of a pool, sponsored', 'creator', 'claimTxs', claim(pooled.mint, 'position'));
    const others = async (name: string, of: string, kind: 'holding' | 'position', instead: Change) => {
      await real.play('tradeSwap', (await real.buy(of, '1000000000')).fields);
      await play(name, 'creator', 'claimTxs', claim(of, kind), { instead });
    };
    const vaultOfUser = () =>
      encodeInstruction('feeShare.claimUserVault', {
        accounts: { user: wallet, baseMint: token.mint },
        args: {},
      });
    await others("claim of a claimer's vault", token.mint, 'holding', (draft) => ({
      ...draft,
      instructions: [vaultOfUser()],
    }));
    for (const by of ['partner', 'creator'] as const)
      await others(
        `claim of a curve by its ${by}, as the public package builds it`,
        token.mint,
        'holding',
        builtByPackages(wallet, token.mint, claimsCurve(wallet, token.mint, token.configKey, by)),
      );
    await others(
      'claim of a position of a pool, as the public package builds it',
      pooled.mint,
      'position',
      builtByPackages(wallet, pooled.mint, claimsPosition(wallet, pooled.mint)),
    );
    const vault = (kind: 'partner' | 'deployer') => ({ kind, wallet, quoteMint: WSOL_MINT });
    await real.play('tradeSwap', (await real.buy(held.mint, '1000000000')).fields);
    await play('claim out of a custody, sponsored', 'creator', 'claimTxs', claim(held.mint, 'position'));
    for (const mint of [token.mint, pooled.mint])
      await real.play('tradeSwap', (await real.buy(mint, '1000000000')).fields);
    await play("claim of a deployer's revenue", 'creator', 'deployerClaimTxs', { wallet });
    await real.play('tradeSwap', (await real.buy(token.mint, '1000000000')).fields);
    await play("claim of a deployer's vault", 'creator', 'claimVault', vault('deployer'));
    await real.play(
      'curveLaunch',
      real.curveLaunch({ ...partnered, configKey: await keyOf(partnered.mint) }).fields,
    );
    await real.play('tradeSwap', (await real.buy(partnered.mint, '1000000000')).fields);
    await play("claim of a partner's vault", 'creator', 'claimVault', vault('partner'));

    const everything = async (name: string, claims: readonly Fields[]) => {
      for (const mint of [token.mint, pooled.mint])
        await real.play('tradeSwap', (await real.buy(mint, '1000000000')).fields);
      const claimRequests = claims.map((each) => ({ endpoint: 'claimTxs', fields: each }));
      await play(name, 'creator', CLAIM_ALL, { wallet, claims: claimRequests });
    };
    const inSol = [claim(token.mint, 'holding'), claim(pooled.mint, 'position')];
    await everything('everything claimable as one plan: a curve and a pool', inSol);
    await real.play('tradeSwap', await world.quoted(inDollars));
    await everything('everything claimable as one plan, with a curve in another quote than SOL', [
      ...inSol,
      { ...claim(dollars.mint, 'holding'), quoteMint: usdc },
    ]);
  } finally {
    await real.close();
  }
  // No kind is refused for its composition, and no plan of supported instructions is called unsupported.
  for (const { kind, sandbox, live, binding } of rows) {
    expect(`${kind}: ${sandbox}, ${live}`).not.toContain('denied');
    if (binding === 'unsupported') expect(live, kind).toBe('asked');
  }
  await expect(`${JSON.stringify(rows, null, 2)}\n`).toMatchFileSnapshot('kinds.json');
});
