/** Manually driven chain with programs at their addresses, funded keys, and one way to execute instructions. */

import { createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import type { TransactionErrorJson } from '../../../sandbox/chain/errors.ts';
import { mint, tokenAccount } from '../../../sandbox/chain/runtime/layouts.ts';
import type { Keypair } from '../../../sandbox/keypair.ts';
import { deploy } from '../../../sandbox/programs/deploy.ts';
import { budgetOf, compileDraft, MAX_BYTES, sizeOf } from '../../../sandbox/service/build/compile.ts';
import { ata, createAta, createMint, mintTo } from '../../../sandbox/service/build/tokens.ts';
import { createKeyring } from '../../../sandbox/service/keys.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';

export interface Outcome {
  readonly err: TransactionErrorJson | null;
  readonly logs: readonly string[];
  readonly units: number;
}

export const SOL = 1_000_000_000n;
export const WSOL = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM };

export class Scene {
  readonly chain: SandboxChain;
  readonly #keys = createKeyring('programs');

  private constructor(chain: SandboxChain) {
    this.chain = chain;
  }

  /** `programs`: code by address. */
  static async start(programs: ReadonlyMap<Address, Uint8Array>): Promise<Scene> {
    const scene = new Scene(await createChain({ seed: 'programs', clock: 'manual' }));
    for (const [address, code] of programs) deploy(scene.chain, address, code);
    return scene;
  }

  /** Returns the key pair of a name; the same in every scene. */
  key(name: string): Keypair {
    return this.#keys.get(name);
  }

  /** Returns a key pair with SOL. */
  rich(name: string, lamports = 100n * SOL): Keypair {
    const key = this.key(name);
    this.chain.airdrop(key.address, lamports);
    return key;
  }

  /** Executes instructions; the first signer pays. */
  land(signers: readonly Keypair[], ...instructions: readonly EncodedInstruction[]): Outcome {
    const [payer] = signers;
    if (payer === undefined) throw new RangeError('a transaction needs a signer');
    const draft = { feePayer: payer.address, instructions, budget: budgetOf(1_400_000), signers };
    const lifetime = this.chain.latestBlockhash('processed');
    // The larger format avoids a lookup table.
    const format = sizeOf({ ...draft, format: 'v0' }, lifetime) <= MAX_BYTES.v0 ? 'v0' : 'v1';
    const outcome = this.chain.submit(compileDraft({ ...draft, format }, lifetime).bytes);
    this.chain.advanceSlots(1);
    if (!outcome.landed) return { err: outcome.err, logs: [], units: 0 };
    const { err, logs, unitsConsumed } = outcome.record;
    return { err, logs, units: unitsConsumed };
  }

  /** Executes instructions. Throws unless they succeed. */
  done(signers: readonly Keypair[], ...instructions: readonly EncodedInstruction[]): Outcome {
    const outcome = this.land(signers, ...instructions);
    if (outcome.err !== null) {
      throw new Error(`${JSON.stringify(outcome.err)}\n${outcome.logs.join('\n')}`);
    }
    return outcome;
  }

  data(address: Address): Buffer {
    const account = this.chain.getAccount(address);
    if (account === null) throw new Error(`there is no account ${address}`);
    return Buffer.from(account.data);
  }

  lamports(address: Address): bigint {
    return this.chain.getAccount(address)?.lamports ?? 0n;
  }

  /** Returns the tokens in an account; 0 if it does not exist. */
  tokens(address: Address): bigint {
    return tokenAccount(this.chain.getAccount(address))?.amount ?? 0n;
  }

  supply(address: Address): bigint | undefined {
    return mint(this.chain.getAccount(address))?.supply;
  }

  mintOf(address: Address) {
    return mint(this.chain.getAccount(address));
  }

  /** Creates a token with a supply in its owner's associated account. */
  token(name: string, owner: Keypair, supply: bigint, decimals = 6) {
    const key = this.key(name);
    const asset = { mint: key.address, tokenProgram: TOKEN_PROGRAM };
    this.done(
      [owner, key],
      ...createMint(owner.address, key.address, TOKEN_PROGRAM, decimals, owner.address, (bytes) =>
        this.chain.rent(bytes),
      ),
      createAta(owner.address, owner.address, asset),
      mintTo(TOKEN_PROGRAM, key.address, ata(owner.address, asset), owner.address, supply),
    );
    return asset;
  }
}

/** Returns the program's own error number of a failed instruction. */
export function errorOf({ err }: Outcome): number | undefined {
  const found = /"Custom":(\d+)/.exec(JSON.stringify(err));
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
