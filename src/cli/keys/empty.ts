/**
 * `countersign wallet empty ADDRESS`: sends everything a wallet of this home holds to another wallet, before its key
 * is deleted. Each payment is a regular plan: decided by a policy that permits only payments to that address,
 * approved with the owner key, and recorded in the ledger.
 */
import { createAnswering } from '../../answering/answering.ts';
import { decimal } from '../../base/format.ts';
import { SEND_FEE_LAMPORTS, type SendRequest } from '../../builders/send.ts';
import { systemClock } from '../../clock.ts';
import { sol } from '../../presentation/history/changes.ts';
import type { PlanView } from '../../presentation/planPort.ts';
import { pendingViews } from '../../presentation/question/readView.ts';
import { approvalLines } from '../../presentation/question/textLines.ts';
import { policyTemplate } from '../../review/templates/templates.ts';
import { createChain } from '../../rpc/chain.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { fixedPolicy } from '../../runtime/policyFile.ts';
import { openRuntime, type Runtime } from '../../runtime/runtime.ts';
import { ownerPublicKey } from '../../secrets/keys/ownerKey.ts';
import type { Secret } from '../../secrets/secret.ts';
import type { SecretStore } from '../../secrets/stores/store.ts';
import { chooseWallet, homeWallets } from '../../secrets/wallets/wallets.ts';
import { isAddress } from '../../transaction/base58.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { type CommandInput, textOption } from '../command.ts';
import { type Balance, balanceOf } from '../money/balance.ts';
import { profileOption } from '../sandbox.ts';
import { askOwnerPassphrase, storeOf } from './owner.ts';

const USAGE = 'countersign wallet empty ADDRESS [--wallet NAME]';
const MOST = '18446744073709551615';
/** Seconds one submission waits; it is repeated until the plan has ended. */
const WAIT_SECONDS = 30;
/** Number and interval of finality checks: a chain takes about 15 seconds. */
const [FINAL_LOOKS, FINAL_LOOK_MS] = [240, 500];

export async function emptyWallet(input: CommandInput): Promise<number> {
  const { home, env, options, terminal, words } = input;
  const [, to = ''] = words;
  if (!isAddress(to)) throw new SetupError('Which address receives the funds?', USAGE);
  const rpcUrl = textOption(options, 'rpc-url');
  if (rpcUrl === undefined) throw new SetupError('Its holdings are read from your own RPC.', USAGE);
  const store = storeOf(input, true);
  // The wallet must be named explicitly; the default is not used.
  const wallet = chooseWallet(await homeWallets(store), textOption(options, 'wallet'), 'refused')?.address;
  if (wallet === undefined)
    throw new SetupError('There is no wallet in this home.', 'Nothing has to be sent.');
  if (to === wallet) throw new SetupError('That is the wallet itself.', USAGE);
  const chain = createChain({ rpcUrl });
  const policy = payoutPolicy(wallet, to, await chain.genesisHash());
  const runtime = await openRuntime(
    {
      ...{ mode: 'live', profile: profileOption(options), home, env, rpcUrl },
      ledger: textOption(options, 'ledger'),
      rootUrl: textOption(options, 'root-url'),
    },
    { own: { secrets: store, policy: fixedPolicy(JSON.stringify(policy)) } },
  );
  let passphrase: Secret | undefined;
  try {
    const held = await balanceOf(chain, wallet);
    const { send, left } = sendable(held);
    for (const token of send) terminal.tell(`${token.amount ?? token.baseUnits} of ${token.mint}`);
    terminal.tell(`${sol(BigInt(held.lamports))}, of which fees are paid`);
    terminal.tell(`go from ${wallet} to ${to}. Check the address: the transfer cannot be undone.`);
    passphrase = await askOwnerPassphrase(input);
    const paid = new Set<string>();
    const pays = payer({ input, runtime, store, passphrase, paid });
    for (const { mint, baseUnits } of send) {
      await pays({ wallet, to, tokenMint: mint, amountRaw: baseUnits });
    }
    const lamports = BigInt((await balanceOf(chain, wallet)).lamports) - SEND_FEE_LAMPORTS;
    if (lamports > 0n) await pays({ wallet, to, amountRaw: `${lamports}` });
    await untilFinal(runtime, wallet, paid, terminal.tell);
    for (const line of left) terminal.tell(line);
    terminal.tell(`${to} received everything that ${wallet} could send.`);
    terminal.tell(
      (await homeWallets(store)).length > 1
        ? `Next: \`countersign wallet remove ${wallet}\`, once it earns nothing more.`
        : 'Next: `countersign backup --move`, which ends signing in this home and keeps its record.',
    );
    return 0;
  } finally {
    passphrase?.wipe();
    await runtime.stop();
    store.lock();
  }
}

/** Returns a policy that permits only payments to one address, each approved by command. */
function payoutPolicy(wallet: Address, to: Address, network: string) {
  const why = 'this wallet is emptied before its key is retired';
  return {
    ...policyTemplate('observer', { wallet, network }),
    id: 'empty-wallet',
    addressBook: [{ label: 'new wallet', address: to }],
    limits: [
      { id: 'sol', asset: 'SOL', window: 'transaction', max: MOST, why },
      { id: 'tokens', asset: 'any', window: 'transaction', max: MOST, why },
    ],
    rules: [{ id: 'empty', operation: 'send', effect: 'require_approval', recipient: 'addressBook', why }],
    approval: { ttlSeconds: 600, channels: ['command'] },
  };
}

/** Describes the amounts payments can send, and what stays behind. */
function sendable({ wallet, tokens }: Balance) {
  const held = tokens.filter(({ baseUnits }) => baseUnits !== '0');
  const isUsual = ({ mint, account, program }: Balance['tokens'][number]) =>
    mint !== WSOL_MINT && account === associatedTokenAddress(wallet, mint, program);
  const left = held
    .filter((token) => !isUsual(token))
    .map(
      ({ mint, account, amount, baseUnits }) =>
        `Left behind: ${amount ?? decimal(BigInt(baseUnits))} of ${mint === WSOL_MINT ? 'wrapped SOL' : mint} in ${account}, which Countersign cannot send.`,
    );
  return { send: held.filter(isUsual), left };
}

/**
 * Waits until no signature of the wallet is open: only then may the home be moved. Continues only the payments of this
 * command: plans of an agent belong to its server and its policy.
 */
async function untilFinal(
  { parts, plans }: Runtime,
  wallet: Address,
  paid: ReadonlySet<string>,
  log: (line: string) => void,
): Promise<void> {
  const { signal } = new AbortController();
  const open = () => parts.ledger.rows('journal', { open: true, wallet });
  if ((await open()).length > 0) log('Landed. Waiting for finality.');
  for (let look = 0; look < FINAL_LOOKS; look++) {
    const rows = await open();
    if (rows.length === 0) return;
    for (const { planId } of rows)
      if (paid.has(planId)) await plans.submit(planId, 0, () => undefined, signal);
    await systemClock.sleep(FINAL_LOOK_MS, signal);
  }
  log('It is not final yet: a server of this home settles it, see `countersign plans`.');
}

interface Paying {
  readonly input: CommandInput;
  readonly runtime: Runtime;
  readonly store: SecretStore;
  readonly passphrase: Secret;
  /** Receives the ids of the plans. */
  readonly paid: Set<string>;
}

/**
 * Returns a function that makes one payment: shows the question, approves it with the owner key, and waits until it
 * has landed.
 */
function payer({ input, runtime, store, passphrase, paid }: Paying): (request: SendRequest) => Promise<void> {
  const { home, terminal } = input;
  const { ledger } = runtime.parts;
  const answering = createAnswering({ home, ledger, ownerPublicKey: () => ownerPublicKey(store) });
  const submit = (planId: string): Promise<PlanView> =>
    runtime.plans.submit(planId, WAIT_SECONDS, () => undefined, new AbortController().signal);
  return async (request) => {
    const { plan } = await runtime.plans.build('send', request);
    if (plan === null) return;
    paid.add(plan.planId);
    let state = await submit(plan.planId);
    if (state.status === 'approval_required') {
      const view = (await pendingViews(ledger)).find(({ planId }) => planId === plan.planId);
      if (view === undefined) throw new SetupError('The question is gone.', 'Run the command again.');
      for (const line of approvalLines(view, await ledger.time())) terminal.tell(line);
      const { id, approvalDigest } = view;
      await answering.approve({ id, approvalDigest, channel: 'command', passphrase });
    }
    do state = await submit(plan.planId);
    while (['running', 'waiting_setup', 'unknown'].includes(state.status));
    if (state.status === 'complete') return;
    throw new SetupError(
      `${plan.planId} is ${state.status}: ${state.decision.explain}`,
      `\`countersign plans ${plan.planId}\` has details. Unsent funds are still in the wallet.`,
    );
  };
}
