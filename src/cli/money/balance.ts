/** `countersign balance`: SOL and tokens of each wallet at `confirmed`, from your own RPC. Requires no key. */
import { decimal, SOL_DECIMALS } from '../../base/format.ts';
import { sol } from '../../presentation/history/changes.ts';
import { readMint, readTokenAccount } from '../../programs/token/accounts.ts';
import { createChain } from '../../rpc/chain.ts';
import type { AccountFact, Chain } from '../../rpc/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { TOKEN_PROGRAMS, WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { walletOption, walletsHere } from '../keys/wallets/named.ts';
import { columnsFor, wrap } from '../layout.ts';
import { readPolicy } from '../policy/read.ts';

/** Balances of one wallet. Amounts are exact; without decimals an amount is in base units. */
export interface Balance {
  readonly wallet: Address;
  readonly lamports: string;
  readonly tokens: readonly {
    readonly mint: Address;
    readonly account: Address;
    /** The token program that owns the account. */
    readonly program: Address;
    readonly baseUnits: string;
    readonly amount?: string;
  }[];
}

export const balanceCommand: Command = async (input) => {
  const { options, terminal } = input;
  const rpcUrl = textOption(options, 'rpc-url');
  if (rpcUrl === undefined) {
    throw new SetupError(
      'A balance is read from your own RPC.',
      'countersign balance --rpc-url URL. A sandbox that is on its own prints its RPC address.',
    );
  }
  const wallets = await walletsOf(input);
  if (wallets === undefined) return 1;
  const chain = createChain({ rpcUrl });
  const balances: Balance[] = [];
  for (const { address } of wallets) balances.push(await balanceOf(chain, address));
  if (options.json === true) {
    terminal.print(JSON.stringify({ balances }));
    return 0;
  }
  const columns = columnsFor(terminal.columns);
  for (const [i, { wallet, lamports, tokens }] of balances.entries()) {
    const label = wallets[i]?.label;
    terminal.print(label === undefined ? wallet : `${wallet}  ${label}`);
    terminal.print(`  ${sol(BigInt(lamports))}`);
    for (const { mint, amount, baseUnits } of tokens) {
      const text = `${amount ?? `${decimal(BigInt(baseUnits))} base units`} of ${
        mint === WSOL_MINT ? 'wrapped SOL' : mint
      }`;
      for (const line of wrap(text, columns, '  ', '    ')) terminal.print(line);
    }
  }
  return 0;
};

interface Named {
  readonly address: Address;
  readonly label?: string | undefined;
}

/** Returns the named wallet, those of a policy, or those of this home. */
async function walletsOf(input: CommandInput): Promise<readonly Named[] | undefined> {
  const named = await walletOption(input);
  if (named !== undefined) return [{ address: named }];
  const path = textOption(input.options, 'policy');
  if (path !== undefined) {
    return (await readPolicy(path, input.terminal))?.policy.wallets;
  }
  const own = await walletsHere(input);
  if (own.length > 0) return own;
  throw new SetupError(
    'There is no wallet in this home.',
    'Name one with `--wallet NAME` or `--policy FILE`, or make one with `countersign wallet create`.',
  );
}

/** Returns the balances of a wallet at `confirmed`. */
export async function balanceOf(chain: Chain, wallet: Address): Promise<Balance> {
  const [account, held] = await Promise.all([
    chain.accounts([wallet], 'confirmed'),
    chain.tokenAccounts(wallet, 'confirmed'),
  ]);
  const accounts = held.value.map((each) => ({
    account: each.address,
    program: each.owner,
    ...readTokenAccount(Buffer.from(each.data, 'base64')),
  }));
  const mints = [...new Set(accounts.map(({ mint }) => mint))];
  const found = mints.length === 0 ? [] : (await chain.accounts(mints, 'confirmed')).value;
  const decimals = new Map(found.map((mint) => [mint.address, decimalsOf(mint)]));
  return {
    wallet,
    lamports: account.value[0]?.lamports ?? '0',
    tokens: accounts.map(({ account: address, program, mint, amount }) => {
      const places = mint === WSOL_MINT ? SOL_DECIMALS : decimals.get(mint);
      return {
        mint,
        account: address,
        program,
        baseUnits: `${amount}`,
        ...(places === undefined ? {} : { amount: decimal(amount, places) }),
      };
    }),
  };
}

/** Returns the decimals of a mint; `undefined` for any other account. */
function decimalsOf({ exists, owner, data }: AccountFact): number | undefined {
  if (!exists || !TOKEN_PROGRAMS.includes(owner)) return undefined;
  try {
    return readMint(Buffer.from(data, 'base64')).decimals;
  } catch {
    return undefined;
  }
}
