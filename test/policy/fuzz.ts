/**
 * Changes accepted stages and asks the policy again. The oracle is the chain, not the policy: where a changed stage
 * is allowed, what it and the honest one leave behind on the same state is compared account by account, and with it
 * who signs, what the memos say and what the network takes.
 */
import type { AccountFact } from '../../src/chain/types.ts';
import { MAX_TRACKING_LAMPORTS } from '../../src/contract/stockPrograms.ts';
import type { Plan, Stage } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/evaluate.ts';
import type { Facts } from '../../src/policy/types.ts';
import { compileDraft, type Draft } from '../../src/sandbox/service/build/compile.ts';
import { TransactionError } from '../../src/transaction/errors.ts';
import { transactionFee } from '../../src/transaction/fee.ts';
import {
  MEMO_V1_PROGRAM,
  MEMO_V3_PROGRAM,
  TOKEN_PROGRAMS,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { requiredSigners } from '../../src/transaction/signatures.ts';
import { readMint, readTokenAccount, type TokenAccountState } from '../../src/transaction/tokenAccounts.ts';
import type { DecodedTransaction } from '../../src/transaction/types.ts';
import { decodeWire, encodeWire } from '../../src/transaction/wire.ts';
import { type Random, randomSource } from '../transaction/fuzz.ts';
import { LEGITIMATE_KINDS, legitimate, walk } from './legitimate.ts';
import { MUTATIONS } from './mutations.ts';
import { NOTHING_USED, World } from './world.ts';

export interface PolicyFuzzResult {
  /** Mutations and decisions; allowed ones by mutation and by what makes them equivalent. */
  readonly counts: Record<string, number>;
  /** Allowed although the effect differs, honest stages that were not allowed, crashes. */
  readonly examples: unknown[];
}

const PER_STAGE = 50;

/** `count` mutations of stages of random legitimate requests, in a world of their own. */
export async function fuzzPolicy({
  seed,
  count,
}: {
  seed: number;
  count: number;
}): Promise<PolicyFuzzResult> {
  const random = randomSource(seed);
  const world = await World.start(`policy fuzz ${seed}`);
  const found: PolicyFuzzResult = { counts: { mutations: 0 }, examples: [] };
  try {
    for (let i = seed; (found.counts.mutations ?? 0) < count; i++) {
      const request = await legitimate(world, LEGITIMATE_KINDS[i % LEGITIMATE_KINDS.length] ?? '', random);
      const drafts: Draft[] = [];
      const remember = (draft: Draft) => {
        drafts.push(draft);
        return draft;
      };
      await walk(
        world,
        request,
        async (honest, plan) => {
          const left = count - (found.counts.mutations ?? 0);
          if (left > 0)
            await fuzzStage({ world, honest, plan, drafts, random }, Math.min(left, PER_STAGE), found);
        },
        remember,
      );
    }
  } finally {
    await world.close();
  }
  return found;
}

interface StageUnderTest {
  readonly world: World;
  readonly honest: Facts;
  readonly plan: Plan;
  readonly drafts: readonly Draft[];
  readonly random: Random;
}

async function fuzzStage(test: StageUnderTest, count: number, { counts, examples }: PolicyFuzzResult) {
  const { world, honest, plan, drafts, random } = test;
  const add = (key: string) => {
    counts[key] = (counts[key] ?? 0) + 1;
  };
  const { policy } = world;
  const where = { operation: plan.operation, stage: honest.stage.id };
  if (evaluate(honest, policy, NOTHING_USED).effect !== 'allow') examples.push({ ...where, what: 'honest' });
  const original = read(honest.stage);
  const lifetime = { blockhash: original.blockhash, lastValidBlockHeight: 0 };
  const draft = drafts.find((each) => compileDraft(each, lifetime).messageSha256 === original.messageSha256);
  if (draft === undefined) throw new Error(`no draft of ${honest.stage.id}`);
  add('stages');
  const names = Object.keys(MUTATIONS);
  for (let done = 0; done < count; ) {
    const name = names[random(names.length)] ?? '';
    const bytes = MUTATIONS[name]?.({ draft, lifetime, wallet: world.wallet, random });
    if (bytes === undefined) continue;
    const stage = redeclared(honest.stage, bytes);
    if (stage.transaction === honest.stage.transaction) continue;
    done++;
    add('mutations');
    try {
      const facts = await world.facts(plan, stage.id, { stage });
      const { effect, reasonCodes } = evaluate(facts, policy, NOTHING_USED);
      add(effect);
      if (effect === 'deny') {
        add(`deny ${reasonCodes[0]}`);
        continue;
      }
      const what = compare(honest, facts);
      add(`allowed, ${what.split(': ')[0]}`);
      if (what.startsWith('left open')) add(what);
      if (!what.startsWith('worse')) continue;
      examples.push({ ...where, mutation: name, what, transaction: stage.transaction });
    } catch (error) {
      add('crashes');
      examples.push({ ...where, mutation: name, what: String(error), transaction: stage.transaction });
    }
  }
}

const read = (stage: Stage): DecodedTransaction => readTransaction(decodeWire(stage.transaction, 'base64'));

/** The stage with other bytes, declared as a lying service would declare them. */
function redeclared(stage: Stage, bytes: Uint8Array): Stage {
  const changed = { ...stage, transaction: encodeWire(bytes, 'base64') };
  try {
    const transaction = read(changed);
    const { messageSha256, requiredSigners: signers } = stage.declared;
    return {
      ...changed,
      format: transaction.format,
      declared: {
        ...stage.declared,
        ...(messageSha256 === undefined ? {} : { messageSha256: transaction.messageSha256 }),
        ...(signers === undefined ? {} : { requiredSigners: requiredSigners(transaction) }),
      },
    };
  } catch (error) {
    if (error instanceof TransactionError) return changed;
    throw error;
  }
}

/** Lamports a new account may hold beside its own rent: room for 1,024 bytes of metadata. */
const MOST_SPARE_RENT = 1_024n * 6_960n;
const EQUIVALENT = 'equivalent';
/** Claim requests name no amount. */
const CLAIMS = ['holding_claim', 'position_claim', 'vault_claim', 'deployer_claim'];

/**
 * How a changed stage compares with the honest one: `equivalent` (the same signers, memos and accounts, at most
 * the same fee), `left open: …` (different only in what the request does not say, and the wallet no worse off),
 * or `worse: …`.
 */
function compare(honest: Facts, changed: Facts): string {
  const [before, after] = [honest.simulation, changed.simulation];
  if (before.status !== 'done' || after.status !== 'done' || after.error !== null)
    return 'worse: no simulation';
  const [was, is] = [read(honest.stage), read(changed.stage)];
  const fees = transactionFee(is).total - transactionFee(was).total;
  const sponsored = is.staticAccounts[0] !== honest.plan.wallet;
  const [one, other] = [outcomeOf(honest, before), outcomeOf(changed, after)];

  for (const asset of new Set([...one.net.keys(), ...other.net.keys()])) {
    const less = (one.net.get(asset) ?? 0n) - (other.net.get(asset) ?? 0n);
    const allowance = asset === 'SOL' && !sponsored && fees > 0n ? fees : 0n;
    if (less <= allowance) continue;
    const brought = other.net.get(asset) ?? 0n;
    if (CLAIMS.includes(honest.plan.operation) && brought > 0n) return 'left open: how much a claim brings';
    const rent = other.mintLamports - one.mintLamports;
    if (asset === 'SOL' && less <= rent + allowance && less <= MOST_SPARE_RENT)
      return 'left open: rent of a new account, within its bound';
    const tracking = honest.plan.operation === 'swap' && asset === 'SOL' && less <= MAX_TRACKING_LAMPORTS;
    return tracking ? 'left open: up to 5,000 lamports of tracking' : `worse: ${less} less of ${asset}`;
  }
  if (one.authorities !== other.authorities) return 'worse: other authorities';
  if (one.named !== other.named) return 'worse: somebody the request names is left otherwise';
  if (one.config !== other.config) return 'worse: the config says something else';
  if (one.link !== other.link) return 'worse: the token has another link';
  if (fees > 0n) return 'left open: the network fee, within its limit';
  if (requiredSigners(was).join() !== requiredSigners(is).join()) return 'left open: another co-signer';
  if (memosOf(was).join() !== memosOf(is).join()) return 'left open: a memo';
  return one.all === other.all
    ? EQUIVALENT
    : 'left open: accounts of the service, rent or a gain of the wallet';
}

/** What a stage leaves behind, by the simulation, read without the policy's help. */
function outcomeOf(
  { plan }: Facts,
  { before, after }: { before: readonly AccountFact[]; after: readonly AccountFact[] },
) {
  const { wallet, request, answer } = plan;
  const net = new Map<string, bigint>();
  const add = (asset: string, amount: bigint) => net.set(asset, (net.get(asset) ?? 0n) + amount);
  const authorities: string[] = [];
  const named: string[] = [];
  const changes: string[] = [];
  const people = PEOPLE.flatMap((field) => request[field] ?? []).filter((each) => each !== wallet);
  let [config, link, mintLamports] = ['', '', 0n];
  for (const [i, now] of after.entries()) {
    for (const [account, sign] of [
      [before[i], -1n],
      [now, 1n],
    ] as const) {
      const token = account && tokenAccount(account);
      if (account === undefined || (account.address !== wallet && token?.owner !== wallet)) continue;
      add('SOL', sign * BigInt(account.lamports));
      if (token !== undefined && token.mint !== WSOL_MINT) add(token.mint, sign * token.amount);
    }
    const state = [now.address, now.lamports, now.owner, now.executable, now.data].join();
    if (
      state !==
      [now.address, before[i]?.lamports, before[i]?.owner, before[i]?.executable, before[i]?.data].join()
    )
      changes.push(state);
    const token = tokenAccount(now);
    if (now.address === wallet) authorities.push(`${now.owner} ${now.data}`);
    if (token?.owner === wallet && (token.delegate ?? token.closeAuthority) !== undefined)
      authorities.push(`${now.address} ${token.delegate} ${token.closeAuthority} ${token.state}`);
    if (people.includes(now.address) || people.includes(token?.owner ?? ''))
      named.push(...changes.filter((each) => each === state));
    const fields = mintOf(now)?.metadata;
    if (mintOf(now) !== undefined) mintLamports += BigInt(now.lamports) - BigInt(before[i]?.lamports ?? 0);
    if (now.address === answer.feeShareConfig)
      config = JSON.stringify([...(fields?.additional ?? [])].map(String).sort());
    if (now.address === (request.tokenMint ?? request.baseMint)) link = fields?.uri ?? '';
  }
  const text = (list: readonly string[]) => list.toSorted().join('\n');
  return {
    net,
    authorities: text(authorities),
    named: text(named),
    config,
    link,
    mintLamports,
    all: text(changes),
  };
}

/** Fields of requests that name somebody who is to receive something. */
const PEOPLE = ['tipWallet', 'feeClaimerWallet', 'partner', 'admin', 'claimersArray', 'walletA', 'walletB'];

function tokenAccount(account: AccountFact): TokenAccountState | undefined {
  return ofToken(account, readTokenAccount);
}
const mintOf = (account: AccountFact) => ofToken(account, readMint);

function ofToken<T>({ owner, data, exists }: AccountFact, parse: (data: Uint8Array) => T): T | undefined {
  if (!exists || !TOKEN_PROGRAMS.includes(owner)) return undefined;
  try {
    return parse(Buffer.from(data, 'base64'));
  } catch {
    return undefined;
  }
}

/** Memos in order, with the accounts that sign them: the service reads them on the chain. */
function memosOf(transaction: DecodedTransaction): string[] {
  const { staticAccounts, instructions } = transaction;
  return instructions.flatMap(({ programIndex, accountIndexes, data }) =>
    [MEMO_V1_PROGRAM, MEMO_V3_PROGRAM].includes(staticAccounts[programIndex] ?? '')
      ? [`${Buffer.from(data).toString('hex')} ${[...accountIndexes].map((i) => staticAccounts[i])}`]
      : [],
  );
}
