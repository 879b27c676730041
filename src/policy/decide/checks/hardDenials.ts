/**
 * Hard denials: instructions that no policy can allow, in any operation. Their balance diff is small, but they grant rights
 * over the wallet's assets (rule 2 of the threat model: a balance diff is not an authority diff).
 */
import type { DecodedInstruction } from '../../../programs/read.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { ReasonCode } from '../types.ts';

/** A grant: its reason code, and a verb phrase that describes its effect. */
interface Grant {
  readonly code: ReasonCode;
  readonly what: string;
}

/**
 * Instructions that grant no rights over the wallet's assets, and those whose operations check what they grant. A new kind
 * of a stock program compiles only if it is listed here or has a case in `grantOf`.
 */
type GrantsNothing =
  | 'associatedToken.create'
  | 'associatedToken.createIdempotent'
  | `computeBudget.${string}`
  | 'cpiGuard.enable'
  | `dammV2.${string}`
  | `dbc.${string}`
  | `defaultAccountState.${string}`
  | `feeShare.${string}`
  | `interestBearing.${string}`
  | `jupiter.${string}`
  | 'lookupTable.close'
  | 'lookupTable.create'
  | 'lookupTable.deactivate'
  | 'lookupTable.extend'
  | `memo.${string}`
  | `memoTransfer.${string}`
  | 'metadataPointer.initialize'
  | `metaplex.${string}`
  | `mintCloseAuthority.${string}`
  | `nonTransferable.${string}`
  | 'pausable.initialize'
  | 'pausable.resume'
  | `permanentDelegate.${string}`
  | 'system.createAccount'
  | 'system.createAccountWithSeed'
  | 'system.transfer'
  | `titan.${string}`
  | 'token.amountToUiAmount'
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
  | 'token.syncNative'
  | 'token.thawAccount'
  | 'token.transfer'
  | 'token.transferChecked'
  | 'token.uiAmountToAmount'
  | 'tokenMetadata.emit'
  | 'tokenMetadata.initialize'
  | 'tokenMetadata.removeKey'
  | 'tokenMetadata.updateField'
  | 'transferFee.harvest'
  | 'transferFee.initializeConfig'
  | 'transferFee.transferCheckedWithFee'
  | 'transferFee.withdrawWithheldFromAccounts'
  | 'transferFee.withdrawWithheldFromMint'
  | 'transferHook.initialize'
  | `userVault.${string}`;

/** Fails for every instruction that grants rights over the wallet's assets. */
export function checkHardDenials(c: DecisionContext, list: Checklist): void {
  let isClean = true;
  for (const { reading } of c.readings) {
    const grant = reading.instruction && grantOf(reading.instruction, c);
    if (grant === undefined) continue;
    isClean = false;
    list.fail(grant.code, 'nothingGranted', { observed: `#${reading.index} ${grant.what}` });
  }
  if (isClean) list.pass('nothingGranted');
}

function grantOf(instruction: DecodedInstruction, c: DecisionContext): Grant | undefined {
  const ours = (role: string) => isOurs(instruction, role, c);
  switch (instruction.kind) {
    // T1, T2
    case 'system.assign':
      return when(ours('account'), 'AUTHORITY_CHANGE', 'assigns the wallet to another program');
    case 'system.allocate':
      return when(ours('account'), 'AUTHORITY_CHANGE', 'allocates data in the wallet account');
    case 'system.assignWithSeed':
    case 'system.allocateWithSeed':
      return when(ours('base'), 'AUTHORITY_CHANGE', 'assigns an account of the wallet to another program');
    case 'system.transferWithSeed':
      return when(ours('base'), 'UNDECLARED_LOSS', 'moves SOL out of an account derived from the wallet');
    // T8, T32
    case 'system.advanceNonceAccount':
    case 'system.upgradeNonceAccount':
      return { code: 'DURABLE_NONCE', what: 'uses a durable nonce' };
    case 'system.initializeNonceAccount':
      return { code: 'DURABLE_NONCE', what: 'creates a durable nonce account' };
    case 'system.authorizeNonceAccount':
      return when(
        ours('authority'),
        'AUTHORITY_CHANGE',
        'transfers the authority over a nonce account of the wallet',
      );
    case 'system.withdrawNonceAccount':
      return when(ours('authority'), 'UNDECLARED_LOSS', 'empties a nonce account of the wallet');
    // T3
    case 'token.approve':
    case 'token.approveChecked':
      return when(ours('owner'), 'DELEGATE_GRANTED', 'lets another key spend tokens of the wallet');
    // T4
    case 'token.setAuthority':
      return when(ours('authority'), 'AUTHORITY_CHANGE', 'transfers an authority of the wallet');
    case 'metadataPointer.update':
    case 'transferHook.update':
    case 'pausable.pause':
    case 'transferFee.setTransferFee':
      return when(ours('authority'), 'AUTHORITY_CHANGE', 'uses an authority over a token');
    case 'tokenMetadata.updateAuthority':
      return when(ours('updateAuthority'), 'AUTHORITY_CHANGE', 'transfers the authority over metadata');
    case 'cpiGuard.disable':
      return when(
        ours('owner'),
        'AUTHORITY_CHANGE',
        'disables the CPI guard of a token account of the wallet',
      );
    // T5
    case 'token.closeAccount': {
      const { owner, destination } = instruction.accounts;
      const away = c.own.has(owner.address) && destination.address !== owner.address;
      return when(away, 'UNDECLARED_LOSS', 'closes a token account of the wallet in favour of another key');
    }
    case 'token.burn':
    case 'token.burnChecked':
      return when(ours('authority'), 'UNDECLARED_LOSS', 'burns tokens of the wallet');
    // T9
    case 'lookupTable.freeze':
      return when(ours('authority'), 'AUTHORITY_CHANGE', 'permanently freezes a lookup table of the wallet');
    case 'associatedToken.recoverNested':
      return when(ours('owner'), 'AUTHORITY_CHANGE', 'empties a nested token account of the wallet');
    default:
      instruction.kind satisfies GrantsNothing;
      return undefined;
  }
}

const when = (found: boolean, code: ReasonCode, what: string): Grant | undefined =>
  found ? { code, what } : undefined;

/** Whether the account in a role is one of our wallets, or one of our wallets signs as a multisig member. */
function isOurs(instruction: DecodedInstruction, role: string, c: DecisionContext): boolean {
  const accounts: Readonly<Record<string, { readonly address: string } | undefined>> = instruction.accounts;
  const account = accounts[role];
  return (
    (account !== undefined && c.own.has(account.address)) ||
    instruction.rest.some((extra) => extra.signer && c.own.has(extra.address))
  );
}
