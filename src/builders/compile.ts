/** Compiles instructions of local plans into an unsigned v0 transaction without lookup tables. Pure. */
import type { EncodedInstruction } from '../programs/instructions.ts';
import { encodeTransaction } from '../transaction/read.ts';
import type { Address } from '../transaction/types.ts';

/** Sort key of accounts: signers first, and writable accounts before read-only ones. */
const rank = ({ signer, writable }: { readonly signer: boolean; readonly writable: boolean }): number =>
  (signer ? 0 : 2) + (writable ? 0 : 1);

/** Returns the wire bytes with empty signature slots. The fee payer is the first account. */
export function unsignedTransaction(
  feePayer: Address,
  instructions: readonly EncodedInstruction[],
  blockhash: string,
): Uint8Array {
  const uses = new Map<Address, { signer: boolean; writable: boolean }>();
  const use = (address: Address, signer: boolean, writable: boolean) => {
    const before = uses.get(address);
    uses.set(address, {
      signer: signer || before?.signer === true,
      writable: writable || before?.writable === true,
    });
  };
  use(feePayer, true, true);
  for (const { programAddress, accounts } of instructions) {
    for (const { address, signer, writable } of accounts) use(address, signer, writable);
    use(programAddress, false, false);
  }
  const others = [...uses].filter(([address]) => address !== feePayer);
  const sorted = others.toSorted(([, a], [, b]) => rank(a) - rank(b));
  const staticAccounts = [feePayer, ...sorted.map(([address]) => address)];
  const count = (wanted: number) => [...uses.values()].filter((each) => rank(each) === wanted).length;
  const numRequiredSignatures = count(0) + count(1);
  const index = (address: Address) => staticAccounts.indexOf(address);
  return encodeTransaction({
    format: 'v0',
    numRequiredSignatures,
    numReadonlySigned: count(1),
    numReadonlyUnsigned: count(3),
    staticAccounts,
    blockhash,
    instructions: instructions.map(({ programAddress, accounts, data }) => ({
      programIndex: index(programAddress),
      accountIndexes: accounts.map(({ address }) => index(address)),
      data,
    })),
    lookups: [],
    signatures: Array.from({ length: numRequiredSignatures }, () => null),
  });
}
