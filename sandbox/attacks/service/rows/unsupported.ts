/** Attacks through an unsupported program that the policy accepts: its unlisted instructions, and calls inside an instruction (T75, T71). */

import type { Address } from '../../../../src/transaction/types.ts';
import { inSol, managerTransferFeeConfig } from '../../../programs/feeShare.ts';
import { attackerKey, dollars, openAccounts, sweep } from '../assets.ts';
import { append, type Extra } from '../drafts.ts';
import { deploys, relayed } from '../relay.ts';
import { type Attacks, type AttackTools, service } from '../types.ts';
import { emptyNonce, transferUpgradeAuthority } from './programs.ts';

/** An unsupported program of the attacker that the policy accepts. */
export const unsupportedProgramOf = (tools: AttackTools): Address =>
  attackerKey(tools, 'unsupported program').address;

const begin = deploys(unsupportedProgramOf);

/** Wraps instructions in calls of the program, so that a decoder does not see them. */
const through = (extra: Extra) =>
  append((place, tools) => extra(place, tools).map(relayed(unsupportedProgramOf(tools))));

export const unsupportedAttacks: Attacks = {
  'other-unsupported-instruction': service({
    row: 'T75',
    does: 'calls an instruction that the policy does not list, of a program listed for trades',
    takes: 'the wallet’s dollars',
    code: 'INSTRUCTION_UNKNOWN',
    begin: (tools) => {
      openAccounts(tools);
      return begin(tools);
    },
    draft: through(({ wallet }, tools) => sweep(tools, dollars(tools, wallet), wallet, wallet).slice(-1)),
  }),
  'unsupported-nonce': service({
    row: 'T71',
    does: 'withdraws from a nonce account of the wallet inside an unsupported instruction',
    takes: 'the balance of the nonce account',
    code: 'AUTHORITY_CHANGE',
    begin,
    draft: through(emptyNonce),
  }),
  'unsupported-program-authority': service({
    row: 'T71',
    does: 'transfers a program deployed by the wallet inside an unsupported instruction',
    takes: 'the program and everything it controls',
    code: 'AUTHORITY_CHANGE',
    begin,
    draft: through(transferUpgradeAuthority),
  }),
  'unsupported-fee-manager': service({
    row: 'T71',
    does: 'makes itself the manager of a token’s fees inside an unsupported instruction',
    takes: 'all fees once the manager changes the split',
    code: 'AUTHORITY_CHANGE',
    begin,
    draft: through(({ wallet }, { attacker, keys }) => [
      managerTransferFeeConfig(wallet, wallet, attacker.address, inSol(keys.tokenMint(0).address)),
    ]),
  }),
};
