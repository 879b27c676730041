/** Demo steps of a launch: custody bundle, trade, funded vault, and a sponsored claim. */
import { asRecord } from '../../src/base/record.ts';
import { derivedAddress } from '../../src/programs/derived.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import { records, text } from './session.ts';
import {
  accountData,
  type DemoState,
  type DemoStep,
  lamports,
  land,
  landedOnChain,
  must,
  short,
  sol,
  tokenAmount,
  tokens,
} from './steps.ts';

const WSOL = 'So11111111111111111111111111111111111111112';
const EARNINGS = 'SandboxEarnings1111111111111111111111111111';
const FIRST_BUY = 500_000_000;
/** Slots between deactivation and closing of a lookup table. */
const COOLDOWN_SLOTS = 513;
/** Maximum polls for the closing transaction. */
const MAX_CLOSE_LOOKS = 300;

/** Advances slots until the optional closing transaction has landed; returns its status otherwise. */
async function closedAfterCooldown(state: DemoState, planId: string): Promise<Record<string, unknown>> {
  await state.session.control('advance-slots', { slots: COOLDOWN_SLOTS + 8 });
  for (let turn = 0; turn < MAX_CLOSE_LOOKS; turn += 1) {
    const plan = asRecord((await must(state, 'submit_plan', { planId, waitSeconds: 5 })).plan);
    const close = records(plan.stages).find((stage) => stage.kind === 'lookup_table_close') ?? {};
    if (close.status === 'confirmed' || close.status === 'finalized') return plan;
    await state.pause(200);
  }
  throw new Error('the lookup table was not closed');
}

export const custodyStep: DemoStep = {
  name: 'custody-launch',
  title: 'Launch a token straight into a pool: five transactions, one of them atomic',
  async run(state) {
    const token = await must(state, 'create_token_info', {
      name: 'Meridian',
      symbol: 'MERI',
      description: 'launched by the demo',
      imageUrl: 'https://example.com/meridian.png',
    });
    const mint = text(token, 'tokenMint');
    const built = await must(state, 'create_damm_launch', {
      tokenMint: mint,
      ipfs: text(token, 'tokenMetadata'),
      quoteMint: WSOL,
      initialBuyQuoteAmount: FIRST_BUY,
      partner: state.wallet,
    });
    const planId = text(asRecord(built.plan), 'planId');
    const launched = await land(state, planId);
    const bought = await tokenAmount(state, state.wallet, mint);
    const four = await landedOnChain(state, launched);
    const closed = await closedAfterCooldown(state, planId);
    const five = await landedOnChain(state, closed);
    const feed = records((await must(state, 'get_launch_feed', {})).launches);
    const shown = feed.find((entry) => entry.tokenMint === mint);
    const creators = records((await must(state, 'get_launch_creators', { tokenMint: mint })).creators);
    state.facts.set('launched', mint);
    return {
      step: {
        ok:
          launched.status === 'complete' &&
          four.length === 4 &&
          five.length === 5 &&
          bought > 0n &&
          shown !== undefined,
        tokenMint: mint,
        stages: five,
        boughtRaw: bought.toString(),
        feedStatus: shown?.status,
        creators: creators.length,
      },
      lines: [
        `mint        ${mint}`,
        ...five.map((s) => `            ${s.id.padEnd(15)} slot ${s.slot}  ${short(s.signature)}`),
        `first buy   ${tokens(bought)} for ${sol(FIRST_BUY)}, in the same transaction as the launch`,
        `closed      the lookup table's rent came back ${COOLDOWN_SLOTS} slots later (the demo moved the clock)`,
        `feed        lists it as ${String(shown?.status)}, with ${creators.length} fee recipient${creators.length === 1 ? '' : 's'}`,
      ],
    };
  },
};

export const tradeStep: DemoStep = {
  name: 'trade-and-vault',
  title: 'Trade it: its pool takes a fee, and a vault fills',
  async run(state) {
    const mint = state.facts.get('launched') ?? '';
    const before = await tokenAmount(state, state.wallet, mint);
    const quote = await must(state, 'get_swap_quote', {
      inputMint: WSOL,
      outputMint: mint,
      amount: '1000000000',
      slippageMode: 'auto',
    });
    const swap = await must(state, 'create_swap', { requestId: text(quote, 'requestId') });
    const ended = await land(state, text(asRecord(swap.plan), 'planId'));
    const landed = await landedOnChain(state, ended);
    const got = (await tokenAmount(state, state.wallet, mint)) - before;
    const vaults = records((await must(state, 'list_vault_claimables', {})).vaults);
    const vault = vaults.find((each) => each.kind === 'partner' && each.quoteMint === WSOL) ?? {};
    const claimable = BigInt(String(vault.claimableAmountRaw ?? '0'));
    const onChain = await vaultBalance(state, partnerVault(state.wallet));
    return {
      step: {
        ok: ended.status === 'complete' && got > 0n && claimable > 0n && onChain === claimable,
        stages: landed,
        received: got.toString(),
        claimableRaw: claimable.toString(),
        vaultOnChainRaw: onChain.toString(),
      },
      lines: [
        `bought      ${tokens(got)} for 1 SOL`,
        `vault       ${sol(claimable)} to claim as partner, and exactly that lies in the vault's account`,
      ],
    };
  },
};

/** Returns the account in which the sandbox's program keeps a partner's SOL earnings. */
const partnerVault = (wallet: Address): Address =>
  associatedTokenAddress(derivedAddress(EARNINGS, [{ text: 'partner' }, wallet, WSOL]), WSOL, TOKEN_PROGRAM);

/** Maximum polls for the account of a newly funded vault. */
const MAX_LOOKS = 50;

/** Returns the base units in a vault's account; the service may list it before the confirmed view has it. */
async function vaultBalance(state: DemoState, account: string): Promise<bigint> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const data = await accountData(state, account);
    if (data !== undefined) return Buffer.from(data).readBigUInt64LE(64);
    await state.pause(200);
  }
  throw new Error(`the vault's account ${account} is not on the chain`);
}

export const claimStep: DemoStep = {
  name: 'sponsored-claim',
  title: 'Claim the vault; the service pays the network fee, the wallet only agrees',
  async run(state) {
    const before = {
      sol: await lamports(state, state.wallet),
      wrapped: await tokenAmount(state, state.wallet, WSOL),
    };
    const built = await must(state, 'create_vault_claim', { kind: 'partner', quoteMint: WSOL });
    const claimable = BigInt(String(asRecord(built.claimable).claimableAmountRaw ?? '0'));
    const plan = asRecord(built.plan);
    const ended = await land(state, text(plan, 'planId'));
    const landed = await landedOnChain(state, ended);
    const feePayer = landed[0]?.feePayer ?? '';
    const arrived =
      (await lamports(state, state.wallet)) -
      before.sol +
      (await tokenAmount(state, state.wallet, WSOL)) -
      before.wrapped;
    const tokenMint = state.facts.get('launched') ?? '';
    const position = asRecord((await must(state, 'create_fee_claims', { tokenMint })).plan);
    const earned = await land(state, text(position, 'planId'));
    const claimed = await landedOnChain(state, earned);
    const events = records((await must(state, 'list_claim_events', { tokenMint })).events);
    return {
      step: {
        ok:
          ended.status === 'complete' &&
          arrived === claimable &&
          claimable > 0n &&
          feePayer !== '' &&
          feePayer !== state.wallet,
        stages: [...landed, ...claimed],
        arrivedLamports: arrived.toString(),
        feePayer,
        claimEvents: events.length,
      },
      lines: [
        `arrived     ${sol(arrived)}; the wallet paid no fee (${short(feePayer)} did)`,
        `recipient   claimed its share of the pool's fees too; ${events.length} claim event${events.length === 1 ? '' : 's'} listed for the token`,
      ],
    };
  },
};
