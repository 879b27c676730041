/** `countersign sandbox`: the service and its chain alone on loopback, until the process is stopped. */
import { createHash } from 'node:crypto';
import { type ProfileName, profiles } from '../contract/profiles/index.ts';
import { SetupError } from '../runtime/backends/backend.ts';
import { loadSandbox } from '../runtime/backends/embedded.ts';
import type { Address } from '../transaction/types.ts';
import { type Command, type OptionValues, textOption } from './command.ts';
import { widthOf, wrap } from './layout.ts';

export const sandboxCommand: Command = async ({ options, terminal }) => {
  const seed = textOption(options, 'seed');
  const hostile = textOption(options, 'hostile');
  const fault = textOption(options, 'fault');
  const slotMs = numberOption(options, 'slot-ms', 1, 60_000);
  const port = numberOption(options, 'port', 0, 65_535) ?? 0;
  const { readProgramFolder, startSandbox } = await loadSandbox();
  const programs = programsOption(options, readProgramFolder);
  const sandbox = await startSandbox({
    profile: profileOption(options),
    clock: clockOption(options),
    port,
    rpcPort: numberOption(options, 'rpc-port', 0, 65_535) ?? (port === 0 ? 0 : port + 1),
    ...(seed === undefined ? {} : { seed }),
    ...(slotMs === undefined ? {} : { slotMs }),
    ...(hostile === undefined ? {} : { hostile }),
    ...(fault === undefined ? {} : { fault }),
    ...(programs === undefined ? {} : { programs }),
  });
  // Listens for the signal before printing how to stop.
  const stopped = stopSignal();
  const { rootUrl, rpcUrl, wsUrl, apiKey, jwt, wallet } = sandbox;
  const loaded = programs === undefined ? {} : { programs: Object.fromEntries(hashes(programs)) };
  if (options.json === true) {
    terminal.print(
      JSON.stringify({ rootUrl, rpcUrl, wsUrl, apiKey, jwt, wallet: wallet.address, ...loaded }),
    );
  } else {
    const columns = widthOf(terminal.columns);
    const rows: [string, string][] = [
      ['service', rootUrl],
      ['RPC', rpcUrl],
      ['WebSocket', wsUrl],
      ['API key', apiKey],
      ['login', jwt],
      ['wallet', wallet.address],
      ...hashes(programs ?? new Map()).map(([address, hash]): [string, string] => [
        'program',
        `${address} (SHA-256 ${hash})`,
      ]),
    ];
    for (const line of [
      ...wrap('A sandbox: its money is worth nothing, its keys are discarded when it stops.', columns),
      ...rows.flatMap(([label, text]) => wrap(text, columns, `  ${label.padEnd(9)} `)),
      'Stop it with Ctrl-C.',
    ])
      terminal.print(line);
  }
  await stopped;
  await sandbox.close();
  return 0;
};

/** Returns the programs of `--programs`; every other program is a stand-in. */
function programsOption(
  options: OptionValues,
  read: (folder: string) => ReadonlyMap<Address, Uint8Array>,
): ReadonlyMap<Address, Uint8Array> | undefined {
  const folder = textOption(options, 'programs');
  if (folder === undefined) return undefined;
  try {
    return read(folder);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SetupError(error.message, 'Use --programs with a folder of files called ADDRESS.so.');
  }
}

const hashes = (programs: ReadonlyMap<Address, Uint8Array>): [Address, string][] =>
  [...programs].map(([address, code]) => [address, createHash('sha256').update(code).digest('hex')]);

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    // Keeps the process alive: the chain's own timers do not.
    const alive = setInterval(() => {}, 1 << 30);
    const stop = () => {
      clearInterval(alive);
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}

export function profileOption(options: OptionValues): ProfileName {
  const name = textOption(options, 'profile') ?? 'contract';
  const known = Object.values(profiles).find((profile) => profile.name === name);
  if (known !== undefined) return known.name;
  throw new SetupError('There is no such service profile.', 'Use --profile contract or --profile bags.');
}

function clockOption(options: OptionValues): 'auto' | 'manual' {
  const name = textOption(options, 'clock') ?? 'auto';
  if (name === 'auto' || name === 'manual') return name;
  throw new SetupError('The clock is auto or manual.', 'Use --set clock=auto or --set clock=manual.');
}

export function numberOption(
  options: OptionValues,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const value = textOption(options, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new SetupError(
    `--${name} must be a whole number from ${least} to ${most}.`,
    `Use --${name} ${least}.`,
  );
}
