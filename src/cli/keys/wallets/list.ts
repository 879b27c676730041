/** `countersign wallet list`: lists the wallets of this home by label, with the default. Opens no key. */
import { homeWallets } from '../../../secrets/wallets/wallets.ts';
import type { CommandInput } from '../../command.ts';
import { columnsFor, table } from '../../layout.ts';
import { storeOf } from '../owner.ts';

export async function listWallets(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const wallets = await homeWallets(storeOf(input, true));
  if (options.json === true) {
    terminal.print(
      JSON.stringify({
        wallets: wallets.map(({ label, address, isDefault }) => ({
          label: label ?? null,
          address,
          default: isDefault,
        })),
      }),
    );
    return 0;
  }
  const rows = wallets.map(({ label, address, isDefault }) => [
    label ?? '(no label)',
    address,
    isDefault ? 'default' : '',
  ]);
  for (const line of table(rows, columnsFor(terminal.columns))) terminal.print(line.trimEnd());
  if (wallets.length === 0)
    terminal.tell('There is no wallet yet: `countersign wallet create` or `countersign wallet import FILE`.');
  else if (wallets.every(({ isDefault }) => !isDefault))
    terminal.tell('No default: `countersign wallet default NAME` sets the wallet of calls that name none.');
  return 0;
}
