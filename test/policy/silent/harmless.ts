/** Harmless differences, each with its proof. Every other difference is a finding. */

interface Harmless {
  /** The stages it applies to. */
  readonly stage: RegExp;
  /** The changes it applies to; all if absent. */
  readonly pattern?: RegExp;
  readonly difference: RegExp;
  readonly why: string;
}

const CHAIN = /^[1-9A-HJ-NP-Za-km-z]{32,44}: /;
/** One value of an account and no other. */
const ALONE = /: \d+ at \d+ is \d+, was \d+$/;

const HARMLESS: readonly Harmless[] = [
  {
    stage: /^custody table$/,
    difference: /^(changed: entries|data) of /,
    why: 'A table names accounts and gives no right over them; the stage that uses it is decided with what it holds.',
  },
  {
    stage: /token$/,
    pattern: /^#0 8 at 4 /,
    difference: /^SOL: \d+ less/,
    why: 'The rent of the mint is bounded by its size and counted as a deposit.',
  },
  {
    stage: /token$/,
    pattern: /^#2 (2 at 74|account 4) /,
    difference: /^data of /,
    why: 'No program takes the royalty of a fungible token, and the policy refuses metadata that any key can change.',
  },
  {
    stage: /launch/,
    pattern: /^#0 left out$/,
    difference: /^lamports of /,
    why: 'A tip that is left out is no loss of the wallet’s.',
  },
  {
    stage: /launch|swap/,
    pattern: /left out$/,
    difference: / for undefined$/,
    why: 'An account of the wallet that is not closed stays its own, with all that is in it.',
  },
  {
    stage: /launch/,
    difference: /\.activation_(point|type) of /,
    why: 'The policy refuses a pool that does not open at once to all; whether it counts slots or seconds has no effect then.',
  },
  {
    stage: /launch/,
    pattern: / 16 at 55 is/,
    difference: /^(Pool \.|tokens of )/,
    why: 'The price can still rise a million times; the dust that is left is the service’s.',
  },
  {
    stage: /^(curve config|.*curve launch.*)$/,
    pattern: /\d+ at \d+ is \d+, was \d+$/,
    difference:
      /\.(swap_base_amount|migration_\w+_threshold|migration_sqrt_price|sqrt_start_price|curve \d+\.\w+|post_migration_token_supply) of |^VirtualPool |^tokens of /,
    why: 'The prices of a curve are published nowhere. The policy bounds them: where it is complete, what its first tenth buys, what stays unsold, the price of the whole.',
  },
  {
    stage: /^(curve config|.*curve launch.*)$/,
    pattern: /\d+ at \d+ is \d+, was \d+$/,
    difference: /\.migrated_pool_base_fee_/,
    why: 'A schedule without both periods and a reduction leaves the fee as it is.',
  },
  {
    stage: /^(curve config|bare curve launch)$/,
    pattern: /is EtkY4z9872ZrETA7g9mN8YWTsC1YpSeWuondUhMdGJeE/,
    difference: /fee claimer of |\.leftover_receiver of /,
    why: 'What the curve does not sell goes to the wallet itself.',
  },
  {
    stage: /^config of many, second$/,
    pattern: /: address at 136 is EtkY4z9872ZrETA7g9mN8YWTsC1YpSeWuondUhMdGJeE/,
    difference: /\.manager of /,
    why: 'The wallet is the manager already, as the stage makes it.',
  },
  {
    stage: /curve launch/,
    pattern: ALONE,
    difference:
      /^PoolConfig \.(version|quote_token_flag|fixed_token_supply_flag|partner_permanent_locked_liquidity_percentage|pool_fees\.\w+\.\w+) of /,
    why: 'The program computes it from values the policy holds, and writes no account in which it differs alone.',
  },
  {
    stage: /launch/,
    pattern: CHAIN,
    difference: /^FeeShare|(partner|manager|claimer of \d+ basis points) of |^shares of /,
    why: 'The service’s admin key can write any claimer into a config before a launch and after it; who earns is judged and read back when the config is made.',
  },
  {
    stage: /^swap for a taxed token$/,
    pattern: CHAIN,
    difference: /^(data of |stranger: )/,
    why: 'The owner has listed the mint: the powers of its issuer are accepted.',
  },
  {
    stage: /^swap/,
    pattern: ALONE,
    difference: /^data of /,
    why: 'Supply and decimals of a mint bring the wallet no less; a flag without its key gives no power.',
  },
  {
    stage: /^swap/,
    pattern: /: address at (4|50) is \w+$/,
    difference: /^data of /,
    why: 'A key of a mint without the flag before it has no power.',
  },
  {
    stage: /^swap/,
    pattern: /: address at 4 is \w+, and there$/,
    difference: /^data of /,
    why: 'A key that can mint more of a bought token asks where money is real; the recorded chain is a local one.',
  },
  {
    stage: /^swap with an unsupported program$/,
    pattern: /^#4 left out$/,
    difference: /(less than allowed|for \d+)$/,
    why: 'What an unsupported program brings rests on the simulation, which is made anew before signing; here it is the honest one.',
  },
  {
    stage: /^swap (in a pool|on a curve)$/,
    pattern: /^#\d+ (account \d is|and #3 swapped)/,
    difference: /^(tokens|owner|mint|holder|delegate|state|close authority) of /,
    why: 'Another account of the wallet’s own gets it, or is closed: its inventory is the same.',
  },
  {
    stage: /^swap/,
    pattern: /: address at 50 is EtkY4z9872ZrETA7g9mN8YWTsC1YpSeWuondUhMdGJeE, and there$/,
    difference: /^(stranger: |data of )/,
    why: 'The wallet itself could freeze the token.',
  },
  {
    stage: /^swap/,
    pattern: /^So1+2: /,
    difference: / of So1+2/,
    why: 'The mint of wrapped SOL has no keys and cannot be given any.',
  },
  {
    stage: /^swap/,
    pattern: /^#4 8 at 8 is (\d+), was \d+$/,
    difference: /(less than allowed|for \d+)$/,
    why: 'A swap that puts one base unit less in, and brings no less than was quoted.',
  },
  {
    stage: /^swap/,
    pattern: /^#\d+ [124] at 35 is /,
    difference: /(less than allowed|^tokens of \w+: \d+ for \d+)$/,
    why: 'The route trades a part of what it may take, brings no less than was quoted, and leaves the rest in the wallet.',
  },
  {
    stage: /^swap/,
    pattern: /^#3 twice$/,
    difference: /^(SOL: \d+ less|lamports of )/,
    why: 'The service fee stays below the highest the rule allows.',
  },
  {
    stage: /claim$/,
    pattern: /account 0 is|everywhere$/,
    difference: /^(SOL: \d+ less|Position )/,
    why: 'A claim asks where what it brings does not exceed its costs, the deposits of accounts included; a position is derived from its NFT, so that there is no second one.',
  },
];

/** Returns the proof that a difference is harmless; `undefined` for a finding. */
export const harmless = (stage: string, label: string, difference: string): string | undefined =>
  HARMLESS.find(
    (each) =>
      each.stage.test(stage) && each.pattern?.test(label) !== false && each.difference.test(difference),
  )?.why;
