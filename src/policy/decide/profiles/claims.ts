/**
 * Claims bring money. The wallet signs only to pay, to identify itself (a memo), or to unwrap its own SOL;
 * nothing of it may leave, and something must arrive (rule 5 of the threat model).
 */

import type { InstructionOf } from '../../../programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import { type Amounts, add } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import { simulatedEffects } from '../checks/effects.ts';
import {
  assetOf,
  type DecisionContext,
  isOwnAssociated,
  isOwnTokenAccount,
  tokenAccountAt,
  withheldFee,
} from '../decisionContext.ts';
import { simulatedCheck } from '../reasons.ts';
import type { Asset, Facts } from '../types.ts';
import { lookupTableSetup } from './lookupTables.ts';
import { all, exactly, part, place, placedAs, staysOurs } from './parts.ts';
import { type Bound, nothing, type Profile, textOf } from './profile.ts';

const V0: readonly TransactionFormat[] = ['v0'];
/** Plans name the format of each stage; claim requests do not ask for one. */
const declared = ({ stage }: Facts): readonly TransactionFormat[] => (stage.format === 'v1' ? ['v1'] : V0);
/** A bare transaction may be of either format that existed before v1. */
const bare = (): readonly TransactionFormat[] => ['legacy', 'v0'];

const plan = (feePayer: Profile['feePayer']): Profile => ({
  stages: { claim: bindClaim, lookup_table_setup: lookupTableSetup },
  feePayer,
  formats: declared,
});

export const holding_claim = plan('wallet');
export const position_claim = plan('sponsor');
export const vault_claim: Profile = { stages: { claim: bindClaim }, feePayer: 'sponsor', formats: bare };
export const deployer_claim: Profile = { stages: { claim: bindClaim }, feePayer: 'sponsor', formats: bare };

const MOST_TRANSFERS = 8;

function bindClaim(c: DecisionContext, list: Checklist): Bound {
  const mint = claimedMint(c);
  const sponsored = c.feePayer !== c.wallet;
  const parts = {
    account: part(
      'own token account',
      'associatedToken.createIdempotent',
      [0, 1],
      ({ accounts }) =>
        accounts.payer.address === c.feePayer &&
        all(
          exactly(
            'who the claim pays',
            accounts.owner.address,
            accounts.owner.address === c.wallet,
            c.wallet,
          ),
          exactly('quote mint', accounts.mint.address, accounts.mint.address === mint, mint),
        ),
    ),
    pays: part('payment to the wallet', 'token.transferChecked', [0, MOST_TRANSFERS], (i) =>
      pays(c, i, mint),
    ),
    paysWithFee: part(
      'payment to the wallet',
      'transferFee.transferCheckedWithFee',
      [0, MOST_TRANSFERS],
      (i) => pays(c, i, mint),
    ),
    unwrap: part(
      'unwrapping',
      'token.closeAccount',
      [0, 1],
      ({ accounts }) =>
        isOwnAssociated(c, accounts.account.address, WSOL_MINT, TOKEN_PROGRAM) &&
        accounts.owner.address === c.wallet &&
        accounts.destination.address === c.wallet &&
        mint === WSOL_MINT,
    ),
    // Sponsored claims name the wallet by a memo it signs, where no program that is not read is handed its signature. The
    // text is the service's, its form is fixed.
    memo: part(
      'claim memo',
      'memo.memo',
      sponsored && c.opaque.length === 0 ? [1, 1] : [0, 1],
      ({ args, rest }) =>
        rest.every((account) => account.address === c.wallet) &&
        all(
          exactly(
            'claim memo',
            args.text,
            /^claim [a-z_]{1,20} [1-9A-HJ-NP-Za-km-z]{32,44}$/.test(args.text) &&
              args.text.endsWith(` ${mint}`),
          ),
        ),
    ),
  };
  const placed = place(c, Object.values(parts), list);
  const leastIn: Amounts = new Map();
  for (const i of placedAs(placed, parts.pays, 'token.transferChecked'))
    add(leastIn, assetOf(mint), i.args.amount - withheldFee(c, mint, i.args.amount));
  for (const i of placedAs(placed, parts.paysWithFee, 'transferFee.transferCheckedWithFee')) {
    add(leastIn, assetOf(mint), i.args.amount - i.args.fee);
  }
  if (c.opaque.length === 0) {
    const amount = leastIn.get(assetOf(mint)) ?? 0n;
    list.expect(amount > 0n, 'REQUEST_MISMATCH', 'claim pays the wallet', {
      observed: `${amount}`,
      allowed: 'more than 0',
    });
  } else {
    // A later simulation that shows less is outside of what was approved, whatever "more than 0" would let pass.
    for (const [asset, amount] of checkArrival(c, mint, list))
      if (amount > (leastIn.get(asset) ?? 0n)) leastIn.set(asset, amount);
  }
  const { request } = c.facts.plan;
  const base = textOf(request, 'tokenMint') ?? textOf(request, 'baseMint');
  const reach = [mint, ...(base === undefined ? [] : [base])];
  return { ...nothing(), leastIn, mostRent: 0n, reach, mints: mint === '' ? [] : [mint] };
}

/**
 * Where a program pays that cannot be read, the simulation must show that something arrives: of the token asked for, or
 * of any where the request names none. The fee is no part of it; rent in accounts of ours is still ours.
 * Returns what arrives, base units by asset; empty without a simulation.
 */
function checkArrival(c: DecisionContext, mint: Address, list: Checklist): Amounts {
  const { simulation } = c.facts;
  if (simulation.status !== 'done' || simulation.error !== null) return new Map();
  const effects = simulatedEffects(c.own, simulation.before, simulation.after);
  const fee = c.own.has(c.feePayer) ? c.fee.total : 0n;
  const arrived = (asset: Asset) =>
    (effects.in.get(asset) ?? 0n) - (effects.out.get(asset) ?? 0n) + (asset === 'SOL' ? fee : 0n);
  const assets = mint === '' ? [...effects.in.keys()] : [assetOf(mint)];
  const shown: Amounts = new Map(assets.map((asset) => [asset, arrived(asset)]));
  const most = [...shown.values()].reduce((a, b) => (a > b ? a : b), 0n);
  list.expect(most > 0n, 'UNDECLARED_LOSS', simulatedCheck('claim pays the wallet'), {
    observed: `${most}`,
    allowed: 'more than 0',
  });
  return shown;
}

/** From an account that is not ours, by an authority that is not ours, into the wallet's associated account. */
function pays(
  c: DecisionContext,
  {
    program,
    accounts,
  }: InstructionOf<'token.transferChecked'> | InstructionOf<'transferFee.transferCheckedWithFee'>,
  mint: Address,
) {
  const source = accounts.source.address;
  const ours =
    c.own.has(accounts.authority.address) ||
    isOwnTokenAccount(c, source, accounts.mint.address, program) ||
    c.own.has(tokenAccountAt(c, source)?.owner ?? '');
  if (ours) return false;
  const destination = accounts.destination.address;
  return all(
    exactly('quote mint', accounts.mint.address, accounts.mint.address === mint, mint),
    exactly('who the claim pays', destination, isOwnAssociated(c, destination, mint, program)),
    staysOurs(c, destination, mint, program),
  );
}

/** The mint a claim is about: the one asked for; deployer claims drain whatever vault their bytes name. */
function claimedMint(c: DecisionContext): Address {
  const { request, operation } = c.facts.plan;
  if (operation !== 'deployer_claim') return textOf(request, 'quoteMint') ?? WSOL_MINT;
  for (const i of c.instructions) {
    if (i.kind === 'token.transferChecked' || i.kind === 'transferFee.transferCheckedWithFee') {
      return i.accounts.mint.address;
    }
  }
  return '';
}
