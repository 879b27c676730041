/**
 * Evidence shown with a decision, from our own RPC and this home's records: decimals and names of tokens, previous
 * claimers, the quote, program deployments, and what an unsupported program could access. Taken from the inputs of
 * the decisions. Pure.
 */
import { tokenNames } from '../../plan/notes.ts';
import type { DecisionInputs, StoredQuote } from '../../policy/decide/types.ts';
import { readAs } from '../../programs/account.ts';
import type { ClaimerShare } from '../../programs/acts.ts';
import { feeShareConfig } from '../../programs/feeShare/accounts.ts';
import { readInstructions } from '../../programs/read.ts';
import { readMint, readTokenAccount } from '../../programs/token/accounts.ts';
import type { TransferFeeConfig } from '../../programs/token2022/extensions.ts';
import { metadata } from '../../programs/tokenMetadata/accounts.ts';
import { NO_VIEW } from '../../programs/view.ts';
import type { AccountFact, ProgramFact, RehearsalFact } from '../../rpc/types.ts';
import { cleanText, TEXT_CAPS } from '../../service/untrusted.ts';
import { accountList, resolveInstructions } from '../../transaction/accounts.ts';
import { TransactionError } from '../../transaction/errors.ts';
import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { NamedBy } from './questionFacts.ts';

/** Known data of a token. Texts are cleaned. */
export interface TokenKnown {
  readonly decimals?: number;
  /** Transfer fee of the token. */
  readonly transferFee?: TransferFeeConfig;
  readonly name?: string;
  readonly symbol?: string;
  readonly by?: NamedBy;
}

/** What an unsupported program could access in one transaction. */
export interface Exposed {
  readonly program: Address;
  /** Lamports of the wallet, if the transaction passes it as a writable signer. */
  readonly lamports?: bigint;
  /** Tokens in the wallet's accounts that the instruction may write. */
  readonly tokens: readonly { readonly mint: Address; readonly amount: bigint }[];
}

/** Evidence of all decisions of a question. */
export interface Evidence {
  readonly tokens: Map<Address, TokenKnown>;
  readonly programs: Map<Address, ProgramFact>;
  readonly exposed: Exposed[];
  /** Previous claimers by mint. */
  readonly configs: Map<
    Address,
    { readonly claimers: readonly ClaimerShare[]; readonly manager: Address | null }
  >;
  quote?: StoredQuote;
  rehearsal?: RehearsalFact;
}

export const noEvidence = (): Evidence => ({
  tokens: new Map(),
  programs: new Map(),
  exposed: [],
  configs: new Map(),
});

/** Cleans a name or symbol; returns `undefined` for an empty one. */
export function cleanName(text: unknown, kind: 'name' | 'symbol'): string | undefined {
  if (typeof text !== 'string') return undefined;
  // A quotation mark inside would end the quotation around it.
  const clean = cleanText(text, TEXT_CAPS[kind])
    .text.replace(/[“”"()]/g, "'")
    .trim();
  return clean === '' ? undefined : clean;
}

/** Returns cleaned name and symbol with their source. */
export function namedToken(name: unknown, symbol: unknown, by: NamedBy): TokenKnown {
  const [cleanedName, cleanedSymbol] = [cleanName(name, 'name'), cleanName(symbol, 'symbol')];
  return {
    ...(cleanedName === undefined ? {} : { name: cleanedName }),
    ...(cleanedSymbol === undefined ? {} : { symbol: cleanedSymbol }),
    ...(cleanedName === undefined && cleanedSymbol === undefined ? {} : { by }),
  };
}

/** Adds the agent's names for a token if neither the chain nor the transactions name it. */
export function addAgentsWords(note: string | undefined, mint: Address, { tokens }: Evidence): void {
  const known = tokens.get(mint);
  const named = tokenNames(note);
  if (named === undefined || known?.by !== undefined) return;
  tokens.set(mint, { ...known, ...namedToken(named.name, named.symbol, 'agent') });
}

/** Adds the inputs of one decision. */
export function addEvidence(inputs: DecisionInputs, evidence: Evidence): void {
  const simulated = inputs.simulation.status === 'done' ? inputs.simulation.after : [];
  for (const account of simulated) addToken(account, evidence, 'bytes');
  // Current chain data overrides simulated data.
  for (const account of inputs.accounts) addToken(account, evidence, 'chain');
  for (const account of inputs.accounts) addConfig(account, evidence);
  for (const program of inputs.programs ?? []) evidence.programs.set(program.address, program);
  if (inputs.quote !== undefined) evidence.quote = inputs.quote;
  if (inputs.rehearsal !== undefined) evidence.rehearsal = inputs.rehearsal;
  evidence.exposed.push(...exposedBy(inputs));
}

const bytes = ({ owner, data }: AccountFact) => ({ owner, data: Buffer.from(data, 'base64') });

function addToken(account: AccountFact, { tokens }: Evidence, by: NamedBy): void {
  if (!account.exists) return;
  const named = readAs(metadata, bytes(account));
  if (typeof named !== 'string') {
    const { mint, name, symbol } = named;
    tokens.set(mint, { ...tokens.get(mint), ...namedToken(name, symbol, by) });
    return;
  }
  if (!TOKEN_PROGRAMS.includes(account.owner)) return;
  try {
    const mint = readMint(Buffer.from(account.data, 'base64'));
    const inside = mint.metadata;
    tokens.set(account.address, {
      ...tokens.get(account.address),
      ...(inside === undefined ? {} : namedToken(inside.name, inside.symbol, by)),
      decimals: mint.decimals,
      ...(mint.transferFee === undefined ? {} : { transferFee: mint.transferFee }),
    });
  } catch {
    // Token accounts and other data have no decimals.
  }
}

function addConfig(account: AccountFact, { configs }: Evidence): void {
  const read = account.exists ? readAs(feeShareConfig, bytes(account)) : '';
  if (typeof read === 'string') return;
  configs.set(read.baseMint, { claimers: read.claimers, manager: read.manager });
}

/**
 * Returns what unsupported instructions could access: every account they name, with the privileges of the whole
 * message.
 */
function exposedBy({ stage, tables, accounts, plan }: DecisionInputs): Exposed[] {
  try {
    const decoded = stage.transaction.read();
    const resolved = resolveInstructions(decoded, tables);
    const uses = accountList(decoded, tables);
    const wallet = uses.find(({ address }) => address === plan.wallet);
    const lamports = accounts.find(({ address }) => address === plan.wallet)?.lamports;
    // Accounts that were not read are left out.
    if (lamports === undefined) return [];
    return readInstructions(resolved, NO_VIEW).flatMap(({ reading }): Exposed[] => {
      if (reading.status === 'read') return [];
      const handed = resolved[reading.index]?.accounts.filter(({ writable }) => writable) ?? [];
      const tokens = handed.flatMap(({ address }) => ownTokens(accounts, address, plan.wallet));
      const isSigner = wallet?.signer === true && wallet.writable;
      return [
        {
          program: reading.program,
          ...(isSigner ? { lamports: BigInt(lamports) } : {}),
          tokens,
        },
      ];
    });
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return [];
  }
}

function ownTokens(accounts: readonly AccountFact[], address: Address, wallet: Address) {
  const found = accounts.find((account) => account.address === address);
  if (found?.exists !== true || !TOKEN_PROGRAMS.includes(found.owner)) return [];
  try {
    const { mint, owner, amount } = readTokenAccount(Buffer.from(found.data, 'base64'));
    return owner === wallet && amount > 0n ? [{ mint, amount }] : [];
  } catch {
    return [];
  }
}
