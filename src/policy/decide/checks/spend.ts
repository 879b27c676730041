/**
 * Upper bound of a transaction's spend, from its instructions alone: fee, transfers, funded accounts, and rent of accounts
 * that may already exist (T14, T15). Amounts that return in the same transaction are not deducted, with two exceptions:
 * wrapping SOL into the wallet's own account (T18), and rent of an own account that the same transaction closes to the wallet.
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

/**
 * Instructions of stock programs without a spend of their own: they take nothing from the wallet, or every operation denies
 * them. A new kind compiles only if it is listed here or has a case in `addSpend`.
 */
type SpendsNothing =
  | 'associatedToken.recoverNested'
  | `computeBudget.${string}`
  | `cpiGuard.${string}`
  | `defaultAccountState.${string}`
  | `interestBearing.${string}`
  | 'lookupTable.close'
  | 'lookupTable.deactivate'
  | 'lookupTable.freeze'
  | `memo.${string}`
  | `memoTransfer.${string}`
  | `metadataPointer.${string}`
  | `mintCloseAuthority.${string}`
  | `nonTransferable.${string}`
  | `pausable.${string}`
  | `permanentDelegate.${string}`
  | 'system.advanceNonceAccount'
  | 'system.allocate'
  | 'system.allocateWithSeed'
  | 'system.assign'
  | 'system.assignWithSeed'
  | 'system.authorizeNonceAccount'
  | 'system.initializeNonceAccount'
  | 'system.upgradeNonceAccount'
  | 'system.withdrawNonceAccount'
  | 'token.amountToUiAmount'
  | 'token.approve'
  | 'token.approveChecked'
  | 'token.closeAccount'
  | 'token.createNativeMint'
  | 'token.freezeAccount'
  | 'token.getAccountDataSize'
  | 'token.initializeAccount'
  | 'token.initializeAccount2'
  | 'token.initializeAccount3'
  | 'token.initializeImmutableOwner'
  | 'token.initializeMint'
  | 'token.initializeMint2'
  | 'token.initializeMultisig'
  | 'token.initializeMultisig2'
  | 'token.mintTo'
  | 'token.mintToChecked'
  | 'token.reallocate'
  | 'token.revoke'
  | 'token.setAuthority'
  | 'token.syncNative'
  | 'token.thawAccount'
  | 'token.uiAmountToAmount'
  | `tokenMetadata.${string}`
  | 'transferFee.harvest'
  | 'transferFee.initializeConfig'
  | 'transferFee.setTransferFee'
  | 'transferFee.withdrawWithheldFromAccounts'
  | 'transferFee.withdrawWithheldFromMint'
  | `transferHook.${string}`
  | 'unknown';

/** Returns an upper bound of what the supported instructions take from the wallet, including the fee if it pays. */
export function staticSpend(c: DecisionContext): Amounts {
  const spend: Amounts = new Map();
  if (c.own.has(c.feePayer)) add(spend, 'SOL', c.fee.total);
  const closed = accountsRefundedToUs(c);
  for (const instruction of c.instructions) addSpend(c, instruction, closed, spend);
  for (const act of c.acts) addActSpend(c, act, spend);
  return spend;
}

/** Returns own token accounts that are closed to a wallet of ours, with the index of the closing instruction. */
function accountsRefundedToUs({ instructions, own }: DecisionContext): ReadonlyMap<string, number> {
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
      const isRefunded = mine(owner) && (closed.get(associatedToken.address) ?? -1) > instruction.index;
      if (mine(payer) && !isRefunded) add(spend, 'SOL', rentOf(c.inputs, bytes));
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
      instruction.kind satisfies SpendsNothing;
  }
}

/** Whether transferred tokens are ours: by the account's owner on chain or, if unknown, by the transfer authority. */
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
