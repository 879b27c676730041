/** Statement lines of an act. Every act gives lines, or the reason for having none. */
import { canonicalJson } from '../base/canonicalJson.ts';
import type { Act, ActOf, Asset, Holder, TokenTexts } from '../programs/acts.ts';
import type { CurveConfig, PoolTerms } from '../programs/poolTerms/terms.ts';
import { associatedTokenAddress } from '../transaction/derive.ts';
import { TOKEN_PROGRAMS } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { Fact, Line, Pays, Receives, Ref, Role, Why } from './types.ts';
import { assetOf, type ChainView, type StageActs, withoutBigints } from './view.ts';

/** Reason why an act has no line. */
export type NoLine = 'sameParty' | 'notTheWallets' | 'networkFee' | 'noEffect';
type Draft = Pays | Receives | Fact;

/** Bound of an unbounded amount: the maximum unsigned 64-bit number. */
const UNBOUNDED = 2n ** 64n - 1n;

/** Returns the lines of an act, or the reason for having none. */
export function linesOfAct(
  act: Act,
  program: Address,
  stage: StageActs,
  view: ChainView,
): readonly Line[] | NoLine {
  const drafts = new ActLines(program, stage, view).of(act);
  if (typeof drafts === 'string') return drafts;
  return drafts.map((draft): Line => ({ ...draft, source: 'transaction' }));
}

/** Resolves the parties of a stage's acts, which are owners and never token accounts, and drafts lines. */
class ActLines {
  private readonly program: Address;
  private readonly stage: StageActs;
  private readonly view: ChainView;
  private readonly wallet: Address;

  constructor(program: Address, stage: StageActs, view: ChainView) {
    this.program = program;
    this.stage = stage;
    this.view = view;
    this.wallet = stage.wallet;
  }

  of(act: Act): readonly Draft[] | NoLine {
    switch (act.act) {
      case 'transfer':
        return this.transfer(act);
      case 'tip':
        if (act.from !== this.wallet) return [moves('SOL', act.amount, act.from, 'blockBuilder')];
        return [this.pays('SOL', act.amount, 'blockBuilder', 'tip')];
      case 'mintTo': {
        const { mint, amount: minted, to } = act;
        return [{ id: 'supply', mint, minted, burned: 0n, holder: this.party(to, mint) }];
      }
      case 'burn': {
        const { mint, amount: burned, from } = act;
        return [{ id: 'supply', mint, minted: 0n, burned, holder: this.party(from, mint) }];
      }
      case 'swap':
        return this.swap(act);
      case 'claim':
        return this.claim(act);
      case 'openAccount':
        return this.opens(act);
      case 'closeAccount':
        return [{ id: 'returned', asset: 'SOL', of: this.party(act.account), into: act.refundTo }];
      case 'createMint': {
        const { mint, decimals = null, mintAuthority = null, freezeAuthority = null } = act;
        return [
          { id: 'makes', mint, decimals },
          { id: 'controls', right: 'mint authority', of: mint, party: mintAuthority },
          { id: 'controls', right: 'freeze authority', of: mint, party: freezeAuthority },
        ];
      }
      case 'setMetadata': {
        const { mint, mutable = null, updateAuthority: party = null, payer, surcharge } = act;
        return [
          { id: 'names', ...textsOf(act), mint, mutable },
          { id: 'controls', right: 'metadata authority', of: mint, party },
          ...this.deposit(act, mint, payer),
          ...this.surcharge(surcharge, payer),
        ];
      }
      case 'freeze': {
        const { mint, frozen, account } = act;
        return [{ id: 'freezes', holder: this.party(account, mint), mint, frozen }];
      }
      case 'mintRule': {
        const by = act.authority === undefined ? {} : { by: act.authority };
        return [{ ...rule(act.mint, act.rule, act.values), ...by }];
      }
      case 'accountRule':
        return [rule(act.account, act.rule, { on: act.on })];
      case 'setRight':
        return [this.right(act)];
      case 'createConfig':
      case 'extendConfig':
      case 'changeShares':
        return this.shares(act);
      case 'setManager':
        return [
          {
            ...{ id: 'controls', right: 'fee shares', of: act.base, party: act.manager },
            asset: assetOf(act.quote),
          },
        ];
      case 'createPartner': {
        const { partner: party, bps: shareBps, partnerConfig: from, payer } = act;
        return [{ id: 'earns', party, shareBps, from, of: 'partner' }, ...this.deposit(act, from, payer)];
      }
      case 'createPoolConfig': {
        const { config: from, quote, venue, feeClaimer, leftoverReceiver, payer, terms } = act;
        return [
          { id: 'terms', of: from, venue, quote, terms: termsJson(terms) },
          ...claimersBy({ feeClaimer, leftoverReceiver }, from),
          ...this.deposit(act, from, payer),
        ];
      }
      case 'createPool':
        return this.pool(act);
      case 'openPosition': {
        const { pool, position: of, owner: party, payer } = act;
        return [
          { id: 'position', pool, of, liquidity: 0n, deposits: [] },
          { id: 'controls', right: 'owner', of, party },
          ...this.deposit(act, of, payer),
        ];
      }
      case 'addLiquidity':
        return this.liquidity(act);
      case 'lockLiquidity': {
        const { position: of, liquidity } = act;
        return [{ id: 'assures', what: 'locked', of, liquidity, held: this.view.holds('locked', of) }];
      }
      case 'tableCreate': {
        const { table: of, authority: party, payer } = act;
        return [
          { id: 'controls', right: 'table authority', of, party },
          ...this.deposit(act, of, payer, party),
        ];
      }
      case 'tableExtend': {
        const deposit = this.deposit(act, act.table, act.payer, act.authority);
        return deposit.length === 0 ? 'notTheWallets' : deposit;
      }
      case 'tableDeactivate':
      case 'tableFreeze':
        return [rule(act.table, act.act, {})];
      case 'tableClose':
        return [{ id: 'returned', asset: 'SOL', of: act.table, into: act.refundTo }];
      case 'computeBudget':
        return 'networkFee';
      case 'memo':
        return [{ id: 'memo', text: act.text }];
      case 'useNonce':
        return [{ id: 'uses', account: act.nonce, kind: 'nonce', authority: act.authority }];
      case 'nothing':
        return 'noEffect';
      case 'named':
        return [this.unsupported(act.instruction, act.accounts)];
      case 'unsupported':
        return [this.unsupported(null, act.accounts)];
    }
  }

  private transfer(act: ActOf<'transfer'>): readonly Draft[] | NoLine {
    const { asset, amount } = act;
    if (asset === undefined) return [this.unsupported('transfer', [act.from.account, act.to.account])];
    const from = this.giver(act.from, asset, act.authority);
    const to = this.party(act.to, asset);
    if (from === to) return 'sameParty';
    const withheld = act.fee ?? (asset === 'SOL' ? 0n : this.view.withheld(asset, amount));
    if (to === this.wallet) return [this.receives(asset, amount - withheld, from, 'program')];
    if (from !== this.wallet) return [moves(asset, amount, from, to)];
    const net = withheld === 0n ? {} : { leastArrives: amount - withheld };
    if (to === this.stage.feePayer) return [this.pays(asset, amount, 'stagePayer', 'refund', net)];
    return [this.pays(asset, amount, to, this.stage.payees.get(to) ?? this.stage.otherwise, net)];
  }

  /** Venues and routers compare their minimum output with the received amount, net of the token's transfer fee. */
  private swap(act: ActOf<'swap'>): readonly Draft[] {
    const { input, output, maxIn, minOut, source, destination, referral } = act;
    if (input === undefined || output === undefined)
      return [this.unsupported('swap', [source.account, destination.account])];
    const from = this.giver(source, input, act.authority);
    const to = this.party(destination, output);
    return [
      from === this.wallet ? this.pays(input, maxIn, 'market', 'trade') : moves(input, maxIn, from, 'market'),
      to === this.wallet
        ? this.receives(output, minOut, 'market', 'program')
        : moves(output, minOut, 'market', to),
      ...(referral === undefined
        ? []
        : [this.earns(this.party({ account: referral }), 'referral', this.program)]),
    ];
  }

  private earns(party: Address, of: 'partner' | 'referral', from: Address): Draft {
    return { id: 'earns', party, shareBps: null, from, of };
  }

  private claim(act: ActOf<'claim'>): readonly Draft[] {
    const { from, base, beneficiary, what: kind, payer } = act;
    const payouts = act.payouts.map(({ asset, to }) => ({
      asset: assetOf(asset),
      owner: this.party(to, asset),
    }));
    return [
      {
        ...{ id: 'claims', of: from, kind, payouts },
        ...(base === undefined ? {} : { base }),
        ...(beneficiary === undefined ? {} : { beneficiary }),
      },
      ...payouts.flatMap(({ asset, owner }) =>
        owner === this.wallet ? [this.receives(asset, 0n, from, 'simulation')] : [],
      ),
      ...this.deposit(act, from, payer),
    ];
  }

  private opens(act: ActOf<'openAccount'>): readonly Draft[] | NoLine {
    const { account, kind } = act;
    const others = this.stage.calls.flatMap(({ acts }) => acts);
    // A later instruction initialises an account that the System program creates.
    const opened = others.findLast(
      (each) => each.act === 'openAccount' && each.account === account && each.kind !== 'data',
    );
    const owner = (opened?.act === 'openAccount' ? opened.owner : undefined) ?? act.owner ?? account;
    const returns = owner === this.wallet ? 'onClose' : 'never';
    // A deposit does not count if the same transaction closes the account to the wallet.
    const isClosedAgain = others.some(
      (each) =>
        each.act === 'closeAccount' && each.account.account === account && each.refundTo === this.wallet,
    );
    const drafts: Draft[] = owner === this.wallet ? [] : [{ id: 'opens', account, owner, kind }];
    if (act.payer === this.wallet && !isClosedAgain) {
      const lamports = this.view.exists(account) ? 0n : this.view.deposit(act);
      drafts.push(this.pays('SOL', lamports, account, 'deposit', { owner, returns }));
    }
    return drafts.length === 0 ? 'notTheWallets' : drafts;
  }

  private right({ right, of, to: party, amount, asset }: ActOf<'setRight'>): Draft {
    if (party === null && (right === 'mint authority' || right === 'freeze authority')) {
      const what = right === 'mint authority' ? 'noMinting' : 'noFreezing';
      return { id: 'assures', what, of, held: this.view.holds(what, of) };
    }
    const limit = amount === undefined ? {} : { atMost: amount };
    return {
      id: 'controls',
      right,
      of,
      party,
      ...limit,
      ...(asset === undefined ? {} : { asset: assetOf(asset) }),
    };
  }

  private shares(act: ActOf<'createConfig' | 'extendConfig' | 'changeShares'>): readonly Draft[] {
    const { base: from, quote, claimers, final, config, payer } = act;
    const partner = 'partner' in act ? act.partner : undefined;
    const asset = assetOf(quote);
    return [
      ...claimers.map(
        ({ wallet: party, bps: shareBps }): Draft => ({
          id: 'earns',
          party,
          shareBps,
          from,
          of: 'fees',
          asset,
        }),
      ),
      ...(partner === undefined ? [] : [this.earns(partner, 'partner', from)]),
      ...(final ? [{ id: 'final', what: 'shares', of: from } as const] : []),
      ...this.deposit(act, config, payer),
    ];
  }

  private pool(act: ActOf<'createPool'>): readonly Draft[] {
    const { pool: of, config, base, quote, venue, creator, token, payer } = act;
    const setting = config === undefined ? undefined : this.view.poolSetting(config);
    const fee = setting?.terms.creationFee ?? 0n;
    return [
      { id: 'terms', of, venue, base, quote, terms: termsJson(setting?.terms ?? act.terms) },
      { id: 'controls', right: 'pool creator', of, party: creator },
      ...(config === undefined
        ? []
        : [{ id: 'uses', account: config, kind: 'config', authority: null } as const]),
      ...(config === undefined || setting === undefined ? [] : claimersBy(setting, config)),
      ...(token === undefined ? [] : tokenCreation(token, base)),
      ...this.deposit(act, of, payer),
      ...this.surcharge(act.surcharge, payer),
      ...(fee > 0n && payer === this.wallet ? [this.pays('SOL', fee, this.program, 'payment')] : []),
    ];
  }

  private liquidity(act: ActOf<'addLiquidity'>): readonly Draft[] {
    const { pool, position: of, liquidity, authority } = act;
    const deposits = act.deposits.map(({ asset, most = null }) => ({ asset: assetOf(asset), atMost: most }));
    return [
      { id: 'position', pool, of, liquidity, deposits },
      ...act.deposits.flatMap(({ asset, from, most = UNBOUNDED }): readonly Draft[] => {
        if (most === 0n) return [];
        const giver = this.giver(from, asset, authority);
        if (giver !== this.wallet) return [moves(asset, most, giver, pool)];
        return [this.pays(asset, most, pool, 'pool', { owner: this.program })];
      }),
    ];
  }

  private unsupported(instruction: string | null, accounts: readonly Address[]): Draft {
    const { wallet, view, program } = this;
    const isOurs = (account: Address) => account === wallet || view.tokenOwner(account) === wallet;
    return { id: 'unsupported', program, instruction, reaches: [...new Set(accounts)].filter(isOurs).sort() };
  }

  /** Returns the owner of an account, or the account itself if the owner is unknown. */
  private party({ account, owner }: Holder, mint?: Asset): Address {
    const known = owner ?? this.view.tokenOwner(account);
    if (known !== undefined) return known;
    if (mint === undefined || mint === 'SOL') return account;
    const own = TOKEN_PROGRAMS.map((program) => associatedTokenAddress(this.wallet, mint, program));
    return own.includes(account) ? this.wallet : account;
  }

  /** Returns the party whose value leaves an account: its owner, or the wallet if it signs for an unknown owner. */
  private giver(from: Holder, mint: Asset, authority: Address): Address {
    const held = this.party(from, mint);
    return held === from.account && authority === this.wallet ? this.wallet : held;
  }

  private pays(
    asset: Asset,
    atMost: bigint,
    to: Ref | Role,
    why: Why,
    more: Partial<Pick<Pays, 'owner' | 'returns' | 'leastArrives'>> = {},
  ): Pays {
    return { id: 'pays', asset: assetOf(asset), atMost, to, owner: to, why, returns: 'never', ...more };
  }

  private receives(asset: Asset, atLeast: bigint, from: Ref | Role, by: Receives['enforcedBy']): Receives {
    return { id: 'receives', asset: assetOf(asset), atLeast, from, into: this.wallet, enforcedBy: by };
  }

  /** `owner`: the party that can close the account and recover the deposit; accounts of programs are never closed. */
  private deposit(
    act: Act,
    to: Address,
    payer: Address | undefined,
    owner: Address = this.program,
  ): readonly Pays[] {
    if (payer !== this.wallet) return [];
    const returns = owner === this.wallet ? 'onClose' : 'never';
    return [this.pays('SOL', this.view.deposit(act), to, 'deposit', { owner, returns })];
  }

  private surcharge(amount: bigint | undefined, payer: Address | undefined): readonly Pays[] {
    if (amount === undefined || payer !== this.wallet) return [];
    return [this.pays('SOL', amount, this.program, 'metadata')];
  }
}

const termsJson = (terms: PoolTerms | undefined): unknown => withoutBigints(terms ?? null, 'activationPoint');

const claimersBy = (
  { feeClaimer, leftoverReceiver }: Omit<CurveConfig, 'terms'>,
  from: Address,
): readonly Draft[] => [
  { id: 'earns', party: feeClaimer, shareBps: null, from, of: 'fees' },
  { id: 'earns', party: leftoverReceiver, shareBps: null, from, of: 'leftover' },
];

const textsOf = ({ name, symbol, uri }: TokenTexts): TokenTexts => ({ name, symbol, uri });

const tokenCreation = (token: TokenTexts, mint: Address): readonly Draft[] => [
  { id: 'makes', mint, decimals: null },
  { id: 'names', ...textsOf(token), mint, mutable: null },
];

const rule = (of: Address, name: string, values: object): Extract<Fact, { id: 'rule' }> => ({
  ...{ id: 'rule', of, rule: name, values: canonicalJson(withoutBigints(values)) },
});

/** Drafts a line for value that moves between other parties. */
const moves = (asset: Asset, amount: bigint, from: Ref | Role, to: Ref | Role): Fact => ({
  ...{ id: 'moves', asset: assetOf(asset), amount, from, to },
});
