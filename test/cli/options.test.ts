/** Command line options, environment variables, and error messages. */

import { CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { MORE_SETTINGS, OPTIONS, UsageError, variableOf } from '../../src/cli/options.ts';
import { readCommandLine } from './commandLine.ts';

const mistake = (argv: string[], env: Record<string, string> = {}): string => {
  try {
    readCommandLine(argv, env);
  } catch (error) {
    if (error instanceof UsageError || error instanceof CommanderError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('subcommands', () => {
  test.each([
    [[], 'serve', []],
    [['--read-only'], 'serve', []],
    [['serve', '--live'], 'serve', []],
    [['wallet', 'import', 'key.json', '--home', '/h'], 'wallet', ['import', 'key.json']],
    [['approve', '--yes', 'a-1'], 'approve', ['a-1']],
  ])('parses %j as %s', (argv, command, words) => {
    expect(readCommandLine(argv, {})).toMatchObject({ command, words });
  });
});

describe('environment variables of options', () => {
  const own = Object.entries({ ...OPTIONS, ...MORE_SETTINGS }).filter(
    ([name]) => !['sandbox', 'live', 'set'].includes(name),
  );

  test.each(
    own.map(([name, { type, choices }]) => [variableOf(name), name, type, choices?.[0] ?? 'b'] as const),
  )('%s sets --%s, and the option takes precedence', (variable, name, type, value) => {
    const [command = 'serve'] = Object.keys(COMMANDS).filter((each) => COMMANDS[each]?.takes.includes(name));
    const [fromVariable, given, fromOption] =
      name in MORE_SETTINGS
        ? ['a', ['--set', `${name}=b`], 'b']
        : type === 'string'
          ? ['a', [command, `--${name}`, value], value]
          : ['true', [command, `--${name}`], true];
    expect(readCommandLine([], { [variable]: fromVariable }).options[name]).toBe(
      type === 'string' ? 'a' : true,
    );
    expect(readCommandLine(given, { [variable]: type === 'string' ? 'a' : 'false' }).options[name]).toBe(
      fromOption,
    );
    expect(readCommandLine([], { [variable]: '' }).options[name]).toBe(type === 'string' ? undefined : false);
  });

  test('do not exist as options for secrets: other users can read a command line', () => {
    expect(Object.keys({ ...OPTIONS, ...MORE_SETTINGS }).join(' ')).not.toMatch(
      /api-key|jwt|passphrase|password|secret-key|wallet-file/,
    );
  });
});

describe('the mode', () => {
  test.each([
    [[], {}, 'sandbox'],
    [['--live'], {}, 'live'],
    [[], { COUNTERSIGN_MODE: 'live' }, 'live'],
    [['--sandbox'], { COUNTERSIGN_MODE: 'live' }, 'sandbox'],
    [['--live'], { COUNTERSIGN_MODE: 'sandbox' }, 'live'],
  ] as const)('of %j with %j is %s', (argv, env, mode) => {
    const { options } = readCommandLine(argv, env);
    expect([options.sandbox, options.live]).toEqual([mode === 'sandbox', mode === 'live']);
  });

  test('accepts one of two values only', () => {
    expect(mistake(['--live', '--sandbox'])).toContain('exclude each other');
    expect(mistake([], { COUNTERSIGN_MODE: 'mainnet' })).toContain('COUNTERSIGN_MODE');
  });
});

describe('argument errors', () => {
  test.each([
    [['--reed-only'], /reed-only/],
    [['serve', '--policy'], /argument missing/],
    [['balance', '--profile', 'other'], /Allowed choices are contract, bags/],
    [['--read-only=yes'], /read-only/],
    [['--set', 'nonsense'], /NAME=VALUE/],
    [['--set', 'policy=x'], /NAME=VALUE/],
    [['balance', '--webhook', 'x'], /webhook/],
  ])('names the mistake in %j', (argv, pattern) => {
    expect(mistake(argv)).toMatch(pattern);
  });

  test('names a boolean variable with another value, without printing the value', () => {
    const message = mistake([], { COUNTERSIGN_READ_ONLY: 'surely' });
    expect(message).toContain('COUNTERSIGN_READ_ONLY');
    expect(message).not.toContain('surely');
  });
});
