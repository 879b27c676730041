/** Demo steps about money moving: a swap that lands with the service's fee, and a drain that does not happen. */
import { asRecord } from '../base/record.ts';
import { records, text } from './session.ts';
import {
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

export const swapStep: DemoStep = {
  name: 'swap',
  title: 'Quote a swap and land it',
  async run(state) {
    const info = asRecord((await state.session.control('info', {})).response);
    const traded = records(info.tokens).find((token) => token.status === 'MIGRATED') ?? {};
    const outputMint = text(traded, 'mint');
    const treasury = text(info, 'treasury');
    const before = {
      treasury: await lamports(state, treasury),
      tokens: await tokenAmount(state, state.wallet, outputMint),
    };
    const quote = await must(state, 'get_swap_quote', {
      inputMint: WSOL,
      outputMint,
      amount: '250000000',
      slippageMode: 'auto',
    });
    const swap = await must(state, 'create_swap', { requestId: text(quote, 'requestId') });
    const plan = asRecord(swap.plan);
    const ended = await land(state, text(plan, 'planId'));
    const landed = await landedOnChain(state, ended);
    const got = (await tokenAmount(state, state.wallet, outputMint)) - before.tokens;
    const fee = (await lamports(state, treasury)) - before.treasury;
    const least = BigInt(text(quote, 'minOutAmount'));
    return {
      step: {
        ok:
          ended.status === 'complete' &&
          got >= least &&
          fee.toString() === text(quote, 'feeLamports') &&
          fee > 0n,
        stages: landed,
        inLamports: '250000000',
        received: got.toString(),
        minOutAmount: least.toString(),
        treasuryReceivedLamports: fee.toString(),
      },
      lines: [
        `decided     ${text(asRecord(plan.decision), 'effect')}`,
        `landed      ${landed.map((s) => `slot ${s.slot}, ${short(s.signature)}`).join('; ')}`,
        `received    ${tokens(got)} (the quote promised at least ${tokens(least)})`,
        `service fee ${sol(fee)}, read from the treasury's balance`,
      ],
    };
  },
};

export const refusalStep: DemoStep = {
  name: 'hostile-plan',
  title: 'A service that has gone bad appends one transfer to an otherwise perfect plan',
  async run(state) {
    const token = await must(state, 'create_token_info', {
      name: 'Bait',
      symbol: 'BAIT',
      description: 'the plan for this one is hostile',
      imageUrl: 'https://example.com/bait.png',
    });
    await state.session.control('hostile', { name: 'append-transfer' });
    try {
      const before = await lamports(state, state.wallet);
      const built = await must(state, 'create_fee_share_config', {
        baseMint: text(token, 'tokenMint'),
        payer: state.wallet,
        flow: 'damm_v2_direct',
        claimersArray: [state.wallet],
        basisPointsArray: [10_000],
      });
      const planId = text(asRecord(built.plan), 'planId');
      const answer = await state.session.call('submit_plan', { planId, waitSeconds: 20 });
      const plan = asRecord(asRecord(answer.data).plan);
      const decision = asRecord(plan.decision);
      const codes = Array.isArray(decision.reasonCodes) ? decision.reasonCodes.map(String) : [];
      const after = await lamports(state, state.wallet);
      const signed = JSON.stringify(plan).includes('"signature"');
      return {
        step: {
          ok:
            plan.status === 'denied' &&
            codes.includes('UNEXPECTED_INSTRUCTION') &&
            !signed &&
            before === after,
          status: plan.status,
          codes,
          explain: decision.explain,
          signed,
          lamportsBefore: before.toString(),
          lamportsAfter: after.toString(),
        },
        lines: [
          `refused     ${codes.join(', ')}`,
          `            ${String(decision.explain)}`,
          `wallet      ${sol(before)} before, ${sol(after)} after; nothing was signed`,
        ],
      };
    } finally {
      await state.session.control('hostile', { name: null });
    }
  },
};
