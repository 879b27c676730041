/**
 * What leaves the wallet by the bytes alone, counted high: fee, transfers, funded accounts, rent of accounts the
 * wallet pays for even where they may exist already (T14, T15). What comes back in the same transaction is not
 * taken off, with two exceptions: moving SOL into the wallet's own wrapped account is not spending (T18), and the deposit
 * of an own account comes back where the same transaction closes it to the wallet, since both happen or neither.
 */
import type { Instruction } from '../../../programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import { type Amounts, add } from '../amounts.ts';
import {
  assetOf,
  type DecisionContext,
  isOwnTokenAccount,
  keepsForUs,
  rentOf,
  tokenAccountAt,
} from '../decisionContext.ts';
import { addActSpend } from '../operations/spend.ts';

const TOKEN_ACCOUNT_BYTES = 165;
/** Token-2022 accounts carry at least an immutable owner, and a withheld fee where the mint has fees. */
const TOKEN_2022_ACCOUNT_BYTES = 182;
const TABLE_META_BYTES = 56;

/** Upper bound of what the readable instructions take from the wallet, with the fee when it pays. */
export function staticSpend(c: DecisionContext): Amounts {
  const spend: Amounts = new Map();
  if (c.own.has(c.feePayer)) add(spend, 'SOL', c.fee.total);
  const closed = closedToUs(c);
  for (const instruction of c.instructions) addSpend(c, instruction, closed, spend);
  for (const act of c.acts) addActSpend(c, act, spend);
  return spend;
}

/** Own associated accounts that a later instruction closes in favour of a wallet of ours, by where that stands. */
function closedToUs({ instructions, own }: DecisionContext): ReadonlyMap<string, number> {
  const closed = new Map<string, number>();
  for (const instruction of instructions) {
    if (instruction.kind !== 'token.closeAccount') continue;
    const { account, destination, owner } = instruction.accounts;
    if (own.has(destination.address) && own.has(owner.address))
      closed.set(account.address, instruction.index);
  }
  return closed;
}

function addSpend(
  c: DecisionContext,
  instruction: Instruction,
  closed: ReadonlyMap<string, number>,
  spend: Amounts,
): void {
  const mine = (account: { address: string } | undefined) =>
    account !== undefined && c.own.has(account.address);
  switch (instruction.kind) {
    case 'system.transfer': {
      const { from, to } = instruction.accounts;
      if (mine(from) && !mine(to) && !isOwnWrapped(c, to.address))
        add(spend, 'SOL', instruction.args.lamports);
      return;
    }
    case 'system.transferWithSeed':
      if (mine(instruction.accounts.base)) add(spend, 'SOL', instruction.args.lamports);
      return;
    case 'system.createAccount':
    case 'system.createAccountWithSeed':
      if (mine(instruction.accounts.payer)) add(spend, 'SOL', instruction.args.lamports);
      return;
    case 'associatedToken.create':
    case 'associatedToken.createIdempotent': {
      const bytes =
        instruction.accounts.tokenProgram.address === TOKEN_PROGRAM
          ? TOKEN_ACCOUNT_BYTES
          : TOKEN_2022_ACCOUNT_BYTES;
      const { payer, owner, associatedToken } = instruction.accounts;
      const comesBack = mine(owner) && (closed.get(associatedToken.address) ?? -1) > instruction.index;
      if (mine(payer) && !comesBack) add(spend, 'SOL', rentOf(c.inputs, bytes));
      return;
    }
    case 'lookupTable.create':
      if (mine(instruction.accounts.payer)) add(spend, 'SOL', rentOf(c.inputs, TABLE_META_BYTES));
      return;
    case 'lookupTable.extend':
      if (mine(instruction.accounts.payer)) {
        const bytes = 32 * instruction.args.addresses.length;
        add(spend, 'SOL', rentOf(c.inputs, bytes) - rentOf(c.inputs, 0));
      }
      return;
    case 'token.transferChecked':
    case 'transferFee.transferCheckedWithFee': {
      const { source, mint, destination } = instruction.accounts;
      const own = (account: string) => isOwnTokenAccount(c, account, mint.address, instruction.program);
      if (
        ownedSource(c, source.address, instruction.accounts.authority.address, own) &&
        !keepsForUs(c, destination.address, mint.address, instruction.program)
      ) {
        add(spend, assetOf(mint.address), instruction.args.amount);
      }
      return;
    }
    case 'token.transfer': {
      const state = tokenAccountAt(c, instruction.accounts.source.address);
      if (state && c.own.has(state.owner)) add(spend, assetOf(state.mint), instruction.args.amount);
      return;
    }
    case 'token.burn':
    case 'token.burnChecked':
      if (mine(instruction.accounts.authority)) {
        add(spend, assetOf(instruction.accounts.mint.address), instruction.args.amount);
      }
      return;
    default:
  }
}

/** Whether the tokens that move are ours: by what the chain shows, else because our wallet is the authority. */
function ownedSource(
  c: DecisionContext,
  source: string,
  authority: string,
  own: (account: string) => boolean,
): boolean {
  const state = tokenAccountAt(c, source);
  return state === undefined ? own(source) || c.own.has(authority) : c.own.has(state.owner);
}

function isOwnWrapped(c: DecisionContext, account: string): boolean {
  return keepsForUs(c, account, WSOL_MINT, TOKEN_PROGRAM);
}
