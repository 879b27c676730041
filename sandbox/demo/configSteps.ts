/** Demo steps of a key, a token, and fee share configs with three to a hundred claimers. */
import { generateKeyPairSync } from 'node:crypto';
import bs58 from 'bs58';
import { asRecord } from '../../src/base/record.ts';
import { readAs } from '../../src/programs/account.ts';
import { feeShareConfig } from '../../src/programs/feeShare/accounts.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { text } from './session.ts';
import {
  accountData,
  type DemoState,
  type DemoStep,
  land,
  landedOnChain,
  must,
  short,
  sol,
} from './steps.ts';

/** Returns a new address; fee recipients need no known key. */
function newAddress(): string {
  const der = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
  return bs58.encode(der.subarray(-32));
}

/** `count` recipients whose shares add up to exactly 10,000 basis points. */
function split(wallet: string, count: number): { claimersArray: string[]; basisPointsArray: number[] } {
  const share = Math.floor(10_000 / count);
  return {
    claimersArray: [wallet, ...Array.from({ length: count - 1 }, newAddress)],
    basisPointsArray: [10_000 - share * (count - 1), ...Array.from({ length: count - 1 }, () => share)],
  };
}

export const keyStep: DemoStep = {
  name: 'agent-key',
  title: 'Exchange a login for an API key; the agent never sees it',
  async run(state) {
    const key = await must(state, 'create_agent_key', { name: 'demo agent' });
    const shown = JSON.stringify(key);
    const secretShown = 'key' in key || 'apiKey' in key;
    return {
      step: {
        ok: !secretShown && typeof key.keyId === 'string',
        keyId: key.keyId,
        storedIn: key.storedIn,
        status: key.status,
      },
      lines: [
        `key id      ${String(key.keyId)} (${String(key.status)})`,
        `stored in   ${String(key.storedIn)}`,
        `the answer the agent got is ${shown.length} characters long and holds no key and no login token`,
      ],
    };
  },
};

/** Registers a token and remembers its mint under `label`. */
async function registerToken(state: DemoState, label: string, name: string, symbol: string) {
  const token = await must(state, 'create_token_info', {
    name,
    symbol,
    description: `${name}, made by the demo`,
    imageUrl: 'https://example.com/token.png',
  });
  const mint = text(token, 'tokenMint');
  state.facts.set(label, mint);
  return { mint, token };
}

export const tokenStep: DemoStep = {
  name: 'token-info',
  title: 'Register a token with the service',
  async run(state) {
    const { mint, token } = await registerToken(state, 'mint-3', 'Lighthouse', 'LITE');
    const there = await accountData(state, mint);
    return {
      step: { ok: token.tokenMetadata !== undefined && there === undefined, tokenMint: mint },
      lines: [`mint        ${mint}`, 'on chain    nothing yet'],
    };
  },
};

interface ConfigCase {
  name: string;
  title: string;
  label: string;
  claimers: number;
  format: 'v0' | 'v1';
  token?: { name: string; symbol: string };
}

/** Plans, decides and lands a config, then reads the split back from its account. */
function configStep(each: ConfigCase): DemoStep {
  return {
    name: each.name,
    title: each.title,
    async run(state) {
      if (each.token) await registerToken(state, each.label, each.token.name, each.token.symbol);
      const baseMint = state.facts.get(each.label) ?? '';
      const request = {
        baseMint,
        payer: state.wallet,
        flow: 'damm_v2_direct',
        ...split(state.wallet, each.claimers),
        ...(each.format === 'v1' ? { transactionFormat: 'v1' } : {}),
      };
      const built = await must(state, 'create_fee_share_config', request);
      const plan = asRecord(built.plan);
      const decision = asRecord(plan.decision);
      const ended = await land(state, text(plan, 'planId'));
      const landed = await landedOnChain(state, ended);
      const onChain = await claimersOnChain(state, text(built, 'feeShareConfig'));
      const requested = request.claimersArray.map(
        (address, i) => `${address}:${request.basisPointsArray[i]}`,
      );
      const same = onChain.length === requested.length && requested.every((entry, i) => onChain[i] === entry);
      const again = await must(state, 'create_fee_share_config', request);
      const fees = landed.reduce((sum, stage) => sum + stage.feeLamports, 0);
      const slots = new Set(landed.map((stage) => stage.slot)).size;
      return {
        step: {
          ok: ended.status === 'complete' && same && again.needsCreation === false && again.plan === null,
          planId: plan.planId,
          decision: decision.effect,
          format: each.format,
          stages: landed,
          claimersOnChain: onChain.length,
          splitMatches: same,
          feeLamports: fees,
          needsCreationNow: again.needsCreation,
        },
        lines: [
          `decided     ${text(decision, 'effect')}`,
          `landed      ${landed.length} ${each.format} transaction${landed.length === 1 ? '' : 's'} in ${slots} block${slots === 1 ? '' : 's'}, fees ${sol(fees)}`,
          ...landed
            .slice(0, 3)
            .map((s) => `            ${s.id.padEnd(10)} slot ${s.slot}  ${short(s.signature)}`),
          ...(landed.length > 3 ? [`            … and ${landed.length - 3} more`] : []),
          `on chain    ${onChain.length} claimers, ${same ? 'each with exactly the share that was asked for' : 'NOT the split that was asked for'}`,
          `asked again needsCreation: ${String(again.needsCreation)}`,
        ],
      };
    },
  };
}

/** Reads the split from the config account, in claimer order: `address:basisPoints`. */
async function claimersOnChain(state: DemoState, config: string): Promise<string[]> {
  const data = await accountData(state, config);
  const fields = data && readAs(feeShareConfig, { owner: FEE_SHARE_PROGRAM, data });
  if (fields === undefined || typeof fields === 'string') return [];
  return fields.claimers.map(({ wallet, bps }) => `${wallet}:${bps}`);
}

export const configSteps: DemoStep[] = [
  configStep({
    name: 'config-3',
    title: 'Split its fees among 3 wallets',
    label: 'mint-3',
    claimers: 3,
    format: 'v0',
  }),
  configStep({
    name: 'config-100',
    title:
      'Split the fees of another token among 100 wallets (needs a lookup table, so the service builds in two rounds)',
    label: 'mint-100',
    claimers: 100,
    format: 'v0',
    token: { name: 'Hundred Hands', symbol: 'HANDS' },
  }),
  configStep({
    name: 'config-100-v1',
    title: 'The same split in the v1 transaction format',
    label: 'mint-100-v1',
    claimers: 100,
    format: 'v1',
    token: { name: 'Hundred Hands One', symbol: 'HANDS1' },
  }),
];
