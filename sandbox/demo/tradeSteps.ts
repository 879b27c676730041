/** Demo steps for trades: a drain of an unprotected wallet that the protected wallet refuses, and a swap that lands. */
import { asRecord } from '../../src/base/record.ts';
import { blindSigner } from './blindSigner.ts';
import { records, text } from './session.ts';
import {
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

/** Returns a sandbox token with a pool, and the account of the service fee. */
async function tradedToken(state: DemoState): Promise<{ mint: string; treasury: string }> {
  // The first request for tokens makes the sandbox create its tokens.
  await must(state, 'get_launch_feed', {});
  const info = asRecord((await state.session.control('info', {})).response);
  const traded = records(info.tokens).find(({ status }) => status === 'MIGRATED') ?? {};
  return { mint: text(traded, 'mint'), treasury: text(info, 'treasury') };
}

export const swapStep: DemoStep = {
  name: 'swap',
  title: 'Quote a swap and land it',
  async run(state) {
    const { mint: outputMint, treasury } = await tradedToken(state);
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

/** Lamports that both wallets sell, and the initial balance of the blind signer. */
const [SOLD, FUNDED] = ['50000000', 1_200_000_000];

export const twoWalletsStep: DemoStep = {
  name: 'two-wallets',
  title: 'The same request, the same bad answer, two wallets',
  async run(state) {
    const { session, wallet } = state;
    const blind = await blindSigner(session, FUNDED, state.pause);
    const { mint } = await tradedToken(state);
    const trade = { inputMint: WSOL, outputMint: mint, amount: SOLD };
    const quote = await must(state, 'get_swap_quote', trade);
    const [theirs, ours] = [await lamports(state, blind.address), await lamports(state, wallet)];
    await session.control('hostile', { name: 'append-transfer' });
    try {
      await blind.swap(trade);
      const { plan } = await must(state, 'create_swap', { requestId: text(quote, 'requestId') });
      const planId = text(asRecord(plan), 'planId');
      const submitted = await session.call('submit_plan', { planId, waitSeconds: 20 });
      const ended = asRecord(asRecord(submitted.data).plan);
      const decision = asRecord(ended.decision);
      const codes = Array.isArray(decision.reasonCodes) ? decision.reasonCodes.map(String) : [];
      const [left, kept] = [await lamports(state, blind.address), await lamports(state, wallet)];
      const isSigned = JSON.stringify(ended).includes('"signature"');
      return {
        step: {
          ok:
            ended.status === 'denied' &&
            codes.includes('REQUEST_MISMATCH') &&
            !isSigned &&
            kept === ours &&
            left < theirs - BigInt(SOLD) * 2n,
          status: ended.status,
          codes,
          explain: decision.explain,
          signed: isSigned,
          lamportsBefore: ours.toString(),
          lamportsAfter: kept.toString(),
          blindLamportsBefore: theirs.toString(),
          blindLamportsAfter: left.toString(),
        },
        lines: [
          `request     swap ${sol(BigInt(SOLD))} for a token`,
          'answer      the swap, followed by a transfer of 1 SOL to a stranger',
          `blind       ${sol(theirs)} before, ${sol(left)} after: it signed unchecked`,
          `countersign ${sol(ours)} before, ${sol(kept)} after: nothing was signed`,
          `why         ${String(decision.explain)}`,
        ],
      };
    } finally {
      await session.control('hostile', { name: null });
    }
  },
};
