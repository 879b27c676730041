/** Plans of every kind as built by an honest service over rounds, and by hostile ones after the approval. */
import type { Act } from '../../src/programs/acts.ts';
import { JITO_TIP_ACCOUNTS } from '../../src/programs/solana/system.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import {
  at,
  BASE,
  type Built,
  type FakeChain,
  FEE_SHARE,
  feeBound,
  flatTerms,
  fresh,
  OTHER,
  ownAccount,
  PAYEE,
  paysLine,
  QUIET,
  ROUTER,
  SERVICE,
  SHARES,
  STRANGER,
  SYSTEM_PROGRAM,
  stage,
  TOKEN,
  TOKEN_PROGRAM,
  UNKNOWN,
  VENUE,
  WALLET,
  type Wish,
} from './chain.ts';

/** The inputs of a build. */
export interface Build {
  readonly chain: FakeChain;
  /** Ids of the landed stages, by the plan's numbering. */
  readonly landed: readonly string[];
  /** A choice below `below` by the service or the market. */
  readonly pick: (below: number) => number;
  /** Fixed for the whole run. */
  readonly flavour: number;
  /** Accounts created by landed stages. */
  readonly memory: Map<string, string>;
}

export interface Kind {
  readonly wish: Wish;
  /** The remaining stages, by name. */
  readonly build: (b: Build, evil?: string) => readonly (readonly [string, Built])[];
  /** The change of each hostile build, and the lines that must not be covered. */
  readonly hostile: Readonly<Record<string, readonly string[]>>;
  readonly later?: (landed: readonly string[]) => string | undefined;
}

const own = (mint: string) => ({ account: ownAccount(mint), owner: WALLET });
const sol = { account: WALLET, owner: WALLET };

function open(owner: string, mint: string, account = owner === WALLET ? ownAccount(mint) : fresh()): Act {
  return {
    ...{ act: 'openAccount', kind: 'token', account, owner, mint },
    ...{ payer: WALLET, deposit: 'rent', ifMissing: true },
  };
}
const pay = (asset: string, amount: bigint, to: string): Act => ({
  ...{ act: 'transfer', asset, from: asset === 'SOL' ? sol : own(asset), to: { account: to, owner: to } },
  ...{ amount, authority: WALLET },
});
const trade = (input: string, output: string, maxIn: bigint, minOut: bigint): Act => ({
  ...{ act: 'swap', venue: 'router', input, output, maxIn, minOut, exact: 'in' },
  ...{ source: own(input), destination: own(output), authority: WALLET },
});
const nothing: Act = { act: 'nothing', what: 'a step' };

const swap: Kind = {
  wish: { request: [feeBound], fixed: [TOKEN, PAYEE], payees: new Map([[PAYEE, 'serviceFee']]) },
  hostile: {
    strangerAccount: ['pays'],
    issuerFee: ['issuer'],
    oldWrapped: ['receives'],
    splitPay: ['receives'],
    less: ['receives'],
    tipStranger: ['pays'],
    upgrade: ['code'],
    higherFee: ['pays'],
    otherTreasury: ['pays'],
    delegate: ['controls'],
    memo: ['memo'],
    otherOutput: ['receives'],
    dearer: ['pays'],
  },
  build: ({ landed, pick, flavour, chain, memory }, evil) => {
    if (landed.length > 0 && evil === undefined) return [];
    const sells = flavour % 2 === 1;
    const [input, output] = sells ? [TOKEN, WSOL_MINT] : [WSOL_MINT, TOKEN];
    const better = memory.has('begun') ? BigInt(pick(50)) : 0n;
    if (evil === 'issuerFee') chain.feeBps.set(TOKEN, 5_000);
    if (evil === 'upgrade') chain.slots.set(ROUTER, 2);
    const least = evil === 'less' ? 899n : evil === 'oldWrapped' || evil === 'splitPay' ? 0n : 900n + better;
    const most = evil === 'dearer' ? 1_000_001n : 1_000_000n;
    const tip = JITO_TIP_ACCOUNTS[pick(JITO_TIP_ACCOUNTS.length)] ?? '';
    const acts: Act[] = [
      { act: 'tip', from: WALLET, to: evil === 'tipStranger' ? STRANGER : tip, amount: 1_000n },
      pay('SOL', evil === 'higherFee' ? 2_001n : 2_000n, evil === 'otherTreasury' ? STRANGER : PAYEE),
    ];
    if (evil === 'tipStranger') acts[0] = pay('SOL', 1_000n, STRANGER);
    const beside: Act[] =
      evil === 'delegate'
        ? [
            {
              act: 'setRight',
              right: 'delegate',
              of: ownAccount(TOKEN),
              to: STRANGER,
              amount: 5n,
              asset: TOKEN,
            },
          ]
        : evil === 'memo'
          ? [{ act: 'memo', text: 'invoice 7', signers: [WALLET] }]
          : [];
    const close: Act[] = sells
      ? [{ act: 'closeAccount', account: own(WSOL_MINT), refundTo: WALLET, authority: WALLET }]
      : [];
    const bought = evil === 'otherOutput' ? OTHER : output;
    const first = stage([
      ['ata', open(evil === 'strangerAccount' ? STRANGER : WALLET, TOKEN)],
      [SYSTEM_PROGRAM, ...acts],
      [`amm ${pick(5)}`, nothing],
      [ROUTER, trade(input, bought, most, least)],
      [TOKEN_PROGRAM, ...close, ...beside],
    ]);
    if (evil !== 'splitPay') return [['swap', first]];
    return [
      ['swap', first],
      ['receipt', stage([[ROUTER, trade(input, output, 0n, 900n)]])],
    ];
  },
};

const claimers = Array.from({ length: 6 }, (_, i) => at(`claimer ${i}`));
const config: Kind = {
  wish: {
    fixed: [BASE, ...claimers],
    request: [
      feeBound,
      paysLine('SOL', 9_000_000n, 'config of the token', 'deposit', { owner: SHARES }),
      ...claimers.map(
        (party) =>
          ({
            id: 'earns',
            source: 'request',
            party,
            shareBps: 1_000,
            from: BASE,
            of: 'fees',
            asset: 'SOL',
          }) as const,
      ),
      { id: 'final', source: 'request', what: 'shares', of: BASE },
      {
        ...{ id: 'controls', source: 'request', right: 'fee shares', of: BASE, party: WALLET },
        asset: 'SOL',
      },
    ],
  },
  hostile: {
    omitsOne: ['earns'],
    extraOne: ['earns'],
    moreDeposit: ['pays'],
    otherManager: ['controls'],
    otherToken: ['earns'],
    biggerShare: ['earns'],
    openEnd: ['final'],
    refundsMore: ['pays'],
  },
  later: (landed) => (landed.length === 0 ? 'config' : undefined),
  build: ({ landed, pick, memory }, evil) => {
    const table = memory.get('table') ?? fresh();
    if (landed.length === 0) {
      const create: Act = { act: 'tableCreate', table, authority: WALLET, payer: WALLET };
      return [['table', stage([['tables', create]])]];
    }
    const base = evil === 'otherToken' ? OTHER : BASE;
    const share = (i: number, bps = 1_000) => ({ wallet: claimers[i] ?? '', bps });
    const list = (from: number, to: number) =>
      claimers
        .slice(from, to)
        .map((_, i) => share(from + i, evil === 'biggerShare' && from + i === 5 ? 1_001 : 1_000));
    const write = (act: 'createConfig' | 'extendConfig', from: number, to: number): Act => ({
      ...{ act, config: 'config of the token', base, quote: WSOL_MINT, payer: WALLET, admin: SERVICE },
      claimers: [
        ...list(from, to).filter(({ wallet }) => evil !== 'omitsOne' || wallet !== claimers[5]),
        ...(evil === 'extraOne' && to === 6 ? [{ wallet: STRANGER, bps: 1 }] : []),
      ],
      final: to === 6 && evil !== 'openEnd',
    });
    const manage: Act = {
      ...{ act: 'setManager', config: 'config of the token', base, quote: WSOL_MINT },
      ...{ manager: evil === 'otherManager' ? STRANGER : WALLET, payer: WALLET, admin: SERVICE },
    };
    const half = 2 + (memory.has('begun') ? pick(3) : 1);
    const extra: Act[] =
      evil === 'moreDeposit' ? Array.from({ length: 3 }, () => write('extendConfig', 6, 6)) : [];
    const all: (readonly [string, Built])[] = [
      ['create', stage([[SHARES, write('createConfig', 0, 3)]])],
      [
        'extend',
        stage([
          [SHARES, write('extendConfig', 3, 6), ...extra, manage],
          ...(evil === 'refundsMore' ? [[SYSTEM_PROGRAM, pay('SOL', 1n, SERVICE)] as const] : []),
        ]),
      ],
    ];
    if (!landed.includes('create') && !landed.includes('extend') && half !== 3 && evil === undefined) {
      all[0] = ['create', stage([[SHARES, write('createConfig', 0, half)]])];
      all[1] = ['extend', stage([[SHARES, write('extendConfig', half, 6), manage]])];
      memory.set('half', `${half}`);
    } else if (landed.includes('create')) {
      const from = Number(memory.get('half') ?? 3);
      all[1] = [
        'extend',
        stage([
          [SHARES, write('extendConfig', from, 6), ...extra, manage],
          ...(evil === 'refundsMore' ? [[SYSTEM_PROGRAM, pay('SOL', 1n, SERVICE)] as const] : []),
        ]),
      ];
    } else memory.set('half', '3');
    return all.filter(([name]) => !landed.includes(name));
  },
};

const launch: Kind = {
  wish: { request: [feeBound], fixed: [BASE] },
  hostile: {
    otherPool: ['pays'],
    swapLock: ['position', 'controls', 'assures', 'earns'],
    strangerPosition: ['controls', 'earns'],
    noLock: ['assures', 'controls', 'position'],
    otherTerms: ['terms'],
    otherCreator: ['controls'],
    moreIntoPool: ['pays'],
    lessIntoPool: ['pays'],
    otherUri: ['names'],
    keepsMinting: ['assures'],
    thirdPosition: ['pays', 'position', 'controls'],
    smallerBuy: ['receives'],
    splitLock: ['assures', 'controls'],
    poolOfOthers: ['pays'],
  },
  build: ({ landed, pick, flavour, memory }, evil) => {
    const sees = (name: string) => memory.get(name) ?? fresh();
    const [pool, big, small] = [sees('pool'), sees('big'), sees('small')];
    if (!landed.includes('pool'))
      for (const [name, value] of [
        ['pool', pool],
        ['big', big],
        ['small', small],
      ] as const)
        memory.set(`next ${name}`, value);
    const owner = evil === 'strangerPosition' ? STRANGER : flavour % 2 === 0 ? WALLET : FEE_SHARE;
    const positions = [
      [big, owner, 9_000n],
      [small, WALLET, 1_000n],
      ...(evil === 'thirdPosition' ? [[fresh(), STRANGER, 0n] as const] : []),
    ] as const;
    const order = pick(2) === 0 ? positions : positions.toReversed();
    const into = evil === 'otherPool' ? fresh() : pool;
    const amount = evil === 'moreIntoPool' ? 1_001n : evil === 'lessIntoPool' ? 999n : 1_000n;
    const create: Act = {
      ...{ act: 'createPool', venue: 'venue', pool, base: BASE, quote: WSOL_MINT },
      ...{ creator: evil === 'otherCreator' ? STRANGER : owner, payer: WALLET, makes: [] },
      terms: { ...flatTerms(evil === 'otherTerms' ? 500n : 100n), activationPoint: BigInt(pick(1_000)) },
    };
    const fill = order.flatMap(([position, holder, liquidity]): Act[] => {
      const opened = { act: 'openPosition', venue: 'venue', pool, position, nftMint: fresh() } as const;
      const most = position === big ? amount : 100n;
      const filled: Act = {
        ...{ act: 'addLiquidity', venue: 'venue', pool: into, position, liquidity, authority: WALLET },
        deposits: [{ asset: BASE, from: own(BASE), most }],
      };
      return [{ ...opened, owner: holder, payer: WALLET }, ...(liquidity === 0n ? [] : [filled])];
    });
    const uri = evil === 'otherUri' ? 'ipfs://b' : 'ipfs://a';
    const mint: Act[] = [
      { act: 'createMint', mint: BASE, decimals: 6, mintAuthority: WALLET, freezeAuthority: null },
      { act: 'setMetadata', mint: BASE, name: 'A', symbol: 'A', uri, mutable: false, updateAuthority: null },
      { act: 'mintTo', mint: BASE, to: own(BASE), amount: 1_100n, authority: WALLET },
      ...(evil === 'keepsMinting'
        ? []
        : [{ act: 'setRight', right: 'mint authority', of: BASE, to: null } as const]),
    ];
    const locked = evil === 'swapLock' ? small : big;
    const lock: Act = {
      ...{ act: 'lockLiquidity', venue: 'venue', pool, position: locked },
      ...{ liquidity: evil === 'splitLock' ? 1n : 9_000n, authority: WALLET },
    };
    const buy = trade(WSOL_MINT, BASE, 500n, evil === 'smallerBuy' ? 39n : 40n);
    if (evil === 'poolOfOthers') {
      // The pool already exists: the announced stage that would create it again fails.
      return [
        [
          'fill',
          stage([
            [TOKEN_PROGRAM, ...mint],
            [VENUE, ...fill, buy],
          ]),
        ],
        ['create', stage([[VENUE, create]])],
        ['lock', stage([[VENUE, lock]])],
      ];
    }
    const stages = [
      [
        'pool',
        stage([
          [TOKEN_PROGRAM, ...mint],
          [VENUE, create, ...fill, buy],
        ]),
      ],
      ['lock', stage([[VENUE, evil === 'noLock' ? nothing : lock]])],
    ] as const;
    return stages.filter(([name]) => !landed.includes(name));
  },
};

const claims: Kind = {
  wish: { request: [feeBound], fixed: [TOKEN] },
  hostile: {
    payoutElsewhere: ['receives'],
    weaker: ['receives'],
    lessOfOne: ['receives'],
    otherSource: ['receives'],
    sponsorRefund: ['pays'],
  },
  build: ({ landed, pick, memory }, evil) => {
    const sources = ['A', 'B', 'C'].filter((name) => !landed.includes(name));
    const order = pick(2) === 0 ? sources : sources.toReversed();
    return order.map((name) => {
      const amount =
        evil === 'lessOfOne' && name === 'B'
          ? 999n
          : 1_000n + (memory.has('begun') ? BigInt(pick(3_000)) : 0n);
      const to = evil === 'payoutElsewhere' && name === 'B' ? STRANGER : WALLET;
      const from = at(evil === 'otherSource' && name === 'B' ? 'source X' : `source ${name}`);
      const payout = { asset: 'SOL', to: { account: to, owner: to } };
      const claim: Act =
        name === 'C' && evil !== 'weaker'
          ? {
              ...{ act: 'transfer', asset: 'SOL', from: { account: from, owner: from } },
              to: sol,
              amount,
              authority: from,
            }
          : { act: 'claim', what: 'a share', from, payouts: [payout], beneficiary: WALLET };
      const refund = evil === 'sponsorRefund' && name === 'B' ? [pay('SOL', 1n, SERVICE)] : [];
      const built = stage(
        [
          [SHARES, claim],
          [SYSTEM_PROGRAM, ...refund],
        ],
        {
          arrivals: new Map([['SOL', to === WALLET ? amount : 0n]]),
          sponsor: SERVICE,
        },
      );
      return [name, built] as const;
    });
  },
};

const unsupported: Kind = {
  wish: { request: [feeBound, paysLine('SOL', 0n, PAYEE, 'payment')], fixed: [PAYEE] },
  hostile: {
    otherBytes: ['pin'],
    spendAgain: ['unsupported'],
    otherCode: ['pin'],
    morePayment: ['pays'],
    lessPayment: ['pays'],
  },
  build: ({ landed, pick }, evil) => {
    const unsupported: Act = {
      act: 'unsupported',
      program: UNKNOWN,
      reason: 'no reader',
      accounts: [WALLET],
    };
    const slot = evil === 'otherCode' ? '2' : '1';
    const pin = (digest: string) => ({ digest, programs: [{ address: UNKNOWN, deployedSlot: slot }] });
    const call = (digest: string) =>
      stage(
        [
          [UNKNOWN, unsupported],
          [QUIET, nothing],
        ],
        { pin: pin(digest) },
      );
    const amount = evil === 'morePayment' ? 1_001n : evil === 'lessPayment' ? 999n : 1_000n;
    const stages = [
      ['call', call(evil === 'otherBytes' ? `m${2 + pick(5)}` : 'm1')],
      ...(evil === 'spendAgain' ? [['again', call('m1')] as const] : []),
      ['pay', stage([[SYSTEM_PROGRAM, pay('SOL', amount, PAYEE)]])],
    ] as const;
    return stages.filter(([name]) => !landed.includes(name));
  },
};

export const KINDS: Readonly<Record<string, Kind>> = { swap, config, launch, claims, unsupported };
