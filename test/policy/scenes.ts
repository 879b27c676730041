/**
 * Requests of every kind and the service's builds of them: honest or with one field swapped, and in supported
 * instructions, with one unsupported instruction beside them, or hidden in an unsupported program. The inputs of each
 * are gathered from the chain once.
 */

import { dollars, openAccounts } from '../../sandbox/attacks/service/assets.ts';
import { read, rewrite } from '../../sandbox/attacks/service/drafts.ts';
import { hidden } from '../../sandbox/attacks/service/relay.ts';
import { rewriteSwaps } from '../../sandbox/attacks/service/swaps.ts';
import type { DraftHook } from '../../sandbox/attacks/service/types.ts';
import { deploy } from '../../sandbox/programs/deploy.ts';
import { partnerConfig } from '../../sandbox/programs/feeShare.ts';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import { compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import { ata, systemTransfer, transfer } from '../../sandbox/service/build/tokens.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { unsupportedWhole } from './people.ts';
import { type Fields, keyNamed, World } from './world.ts';

/** `exact`: all instructions are supported. `beside`: all but one. `hidden`: an unsupported program does the work. */
export type Binding = 'exact' | 'beside' | 'hidden';

interface Request {
  readonly endpoint: EndpointName;
  /** The decided stage; those before it have landed. */
  readonly stage: string;
  readonly fields: (world: World) => Promise<Fields>;
  /** Instructions that stay visible where a program hides the others. */
  readonly open?: readonly string[];
}

const TIP = { tipWallet: keyNamed('tip').address, tipLamports: 1_000_000 };
const launched = async (world: World, more: Fields = {}): Promise<Fields> => {
  const { mint, uri } = await world.token();
  return { tokenMint: mint, ipfs: uri, wallet: world.wallet, quoteMint: WSOL_MINT, ...more };
};
const custody = (world: World) =>
  launched(world, {
    feeClaimerWallet: keyNamed('fee claimer').address,
    partner: keyNamed('partner').address,
    initialBuyQuoteAmount: 100_000_000,
  });

const SCENES = {
  config: {
    endpoint: 'feeShareConfig',
    stage: 'config-1',
    fields: async (world) => {
      const { mint } = await world.token();
      return world.configRequest(mint, [6000, 4000], {
        admin: world.wallet,
        partner: keyNamed('partner').address,
        partnerConfig: partnerConfig(keyNamed('partner').address, { quoteMint: WSOL_MINT }),
        serviceConfigType: 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3',
        flow: 'dbc',
        transactionFormat: 'v1',
        ...TIP,
      });
    },
  },
  update: {
    endpoint: 'updateFeeShareConfig',
    stage: 'update-1',
    fields: async (world) => {
      const claimersArray = [world.wallet, keyNamed('claimer 1').address];
      const { mint } = await world.landedConfig({ claimersArray, basisPointsArray: [6000, 4000] });
      return { baseMint: mint, payer: world.wallet, claimersArray, basisPointsArray: [9000, 1000] };
    },
  },
  'new token': { endpoint: 'dammLaunch', stage: 'create_token', fields: custody },
  'direct launch': {
    endpoint: 'dammLaunchV2',
    stage: 'launch-2',
    fields: async (world) => {
      const { mint, uri, config } = await world.landedConfig();
      return {
        ...TIP,
        tokenMint: mint,
        ipfs: uri,
        wallet: world.wallet,
        quoteMint: WSOL_MINT,
        feeShareConfig: config,
        initialBuyQuoteRaw: '50000000',
      };
    },
  },
  'position claim': {
    endpoint: 'claimTxs',
    stage: 'claim-1',
    fields: async (world) => ({
      feeClaimer: world.wallet,
      tokenMint: await traded(world),
      quoteMint: WSOL_MINT,
      source: { kind: 'position' },
    }),
  },
  // Receives less than the rent of an account, and visibly creates one.
  sale: {
    endpoint: 'tradeSwap',
    stage: 'swap',
    open: ['associatedToken.createIdempotent'],
    fields: async (world) => {
      const inputMint = await traded(world);
      return world.quoted({ inputMint, outputMint: WSOL_MINT, amount: '1000000000' });
    },
  },
  swap: {
    endpoint: 'tradeSwap',
    stage: 'swap',
    fields: (world) => {
      const outputMint = world.sandbox.service.keys.tokenMint(0).address;
      return world.quoted({ inputMint: WSOL_MINT, outputMint, amount: '100000000' });
    },
  },
} satisfies Record<string, Request>;
export type Scene = keyof typeof SCENES;

const tokens = new WeakMap<World, Promise<string>>();

/** A token of the wallet's that others traded, so that it has unclaimed fees. */
function traded(world: World): Promise<string> {
  const known = tokens.get(world) ?? tradedNow(world);
  tokens.set(world, known);
  return known;
}

async function tradedNow(world: World): Promise<string> {
  const { mint } = await world.launched();
  const buy = await world.quoted({ inputMint: WSOL_MINT, outputMint: mint, amount: '500000000' });
  await world.run(await world.plan('tradeSwap', buy));
  return mint;
}

/** Changes without a hostile mode, since they take nothing from the wallet, or nothing visible. */
const SWAPS: Readonly<Record<string, DraftHook>> = {
  payer: (draft, _, { keys }) => ({ ...draft, feePayer: keys.sponsor.address }),
  'input mint': (draft, { wallet }, tools) => {
    openAccounts(tools);
    const held = dollars(tools, wallet);
    const wrapped = ata(wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM });
    return rewriteSwaps(draft, ({ source }) =>
      source === wrapped
        ? [transfer(held, held.account, ata(tools.attacker.address, held), wallet, held.amount / 4n)]
        : undefined,
    );
  },
  // Swaps half of the input and returns the other half.
  'half swapped': (draft) =>
    rewriteSwaps(draft, ({ amountIn, minOut }) => ({ amountIn: amountIn / 2n, minOut: minOut / 2n })),
  'service fee receiver': (draft, { wallet }, { keys, attacker, fund }) => {
    fund(attacker.address, 1_000_000_000n);
    return rewrite(draft, 'system.transfer', ({ accounts, args }) =>
      accounts.to.address === keys.treasury.address
        ? [systemTransfer(wallet, attacker.address, args.lamports)]
        : undefined,
    );
  },
};

/**
 * Returns whether an instruction stays beside an unsupported program: service fee and tracking transfer of a swap, as
 * in the contract, and the creation and sealing of a launch's mints (every call counts; a transaction may hold 64).
 */
function isOpen(
  instruction: EncodedInstruction,
  payees: readonly string[],
  open: readonly string[],
): boolean {
  const known = read(instruction);
  if (known.kind === 'system.transfer') return payees.includes(known.accounts.to.address);
  return open.includes(known.kind);
}
const MINT_MAKING: readonly string[] = [
  'system.createAccount',
  'token.initializeMint2',
  'token.setAuthority',
];

const venue = keyNamed('venue').address;
const relay = keyNamed('relay').address;

export class Scenes {
  readonly servicePrograms = [venue, relay].flatMap(unsupportedWhole);
  readonly #world: World;
  readonly #known = new Map<string, Promise<DecisionInputs>>();

  static async start(): Promise<Scenes> {
    const world = await World.start('every template');
    await world.sandbox.service.ready();
    deploy(world.sandbox.chain, venue, compiledProgram('harmless'));
    deploy(world.sandbox.chain, relay, compiledProgram('relay'));
    return new Scenes(world);
  }

  private constructor(world: World) {
    this.#world = world;
  }

  get wallet(): string {
    return this.#world.wallet;
  }

  get network(): string {
    return this.#world.sandbox.genesisHash;
  }

  close(): Promise<void> {
    return this.#world.close();
  }

  /** Returns the inputs of a scene's stage; `swap` names the service's change to it. */
  inputs(scene: Scene, binding: Binding, swap?: string): Promise<DecisionInputs> {
    const key = [scene, binding, swap].join('/');
    const known = this.#known.get(key) ?? this.#gather(SCENES[scene], binding, swap);
    this.#known.set(key, known);
    return known;
  }

  async #gather({ endpoint, stage, fields, open }: Request, binding: Binding, swap: string | undefined) {
    const world = this.#world;
    const { service } = world.sandbox;
    const { hostile } = service;
    const requestFields = await fields(world);
    const own = SWAPS[swap ?? ''];
    hostile.use(own === undefined ? swap : undefined);
    const honest = service.compile;
    service.compile = (draft, at, id, wallet) => {
      const place = { endpoint: at, stage: id, wallet };
      const served = own?.(draft, place, hostile.tools) ?? hostile.draft(draft, place);
      // Bundles name their drafts by transaction type.
      const isIntended = id.toLowerCase() === stage;
      return compileDraft(
        isIntended ? this.#bound(served, binding, open) : served,
        service.onchain.lifetime(),
      );
    };
    try {
      const plan = world.read(endpoint, requestFields, await world.call(endpoint, requestFields));
      // Accounts the attacker writes are visible to every reader of the chain.
      world.sandbox.advanceSlots(3);
      for (const { id } of plan.stages) {
        if (id === stage) break;
        await world.land(plan, id);
      }
      const { treasury, launchAuthority } = service.keys;
      const serviceAddresses = Object.entries({ treasury, launchAuthority }).map(([label, { address }]) => ({
        label,
        address,
      }));
      return { ...(await world.inputs(plan, stage)), serviceAddresses };
    } finally {
      hostile.use(undefined);
      service.compile = honest;
    }
  }

  #bound(draft: Draft, binding: Binding, open: readonly string[] = MINT_MAKING): Draft {
    const { keys } = this.#world.sandbox.service;
    const payees = [keys.treasury.address, keys.tracking.address];
    if (binding === 'hidden') return hidden(draft, relay, (each) => isOpen(each, payees, open));
    if (binding === 'exact') return draft;
    const call = { programAddress: venue, accounts: [], data: Uint8Array.of(1) };
    return { ...draft, instructions: [...draft.instructions, call] };
  }
}

/** An address book with every wallet of the scenes but our own. */
export const FRIENDS: PolicyFile['addressBook'] = ['claimer 1', 'partner', 'tip', 'fee claimer'].map(
  (label) => ({ label, address: keyNamed(label).address }),
);
