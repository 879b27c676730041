import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type EntryEdit, setEntry } from '../../../src/cli/setup/setEntry.ts';
import fc from '../../fc.ts';

const path = ['servers', 'countersign'] as const;
const value = { command: 'npx', args: ['serve'] };
const set = (text: string, lenient = true): EntryEdit => setEntry(text, { path: [...path], value, lenient });
const edited = (edit: EntryEdit): string => {
  if (edit.kind !== 'edit') throw new Error(`no edit: ${JSON.stringify(edit)}`);
  return edit.text;
};

describe('setting an entry in a hand-edited file', () => {
  it('creates a complete file from an empty one', () => {
    expect(JSON.parse(edited(set('  \n')))).toEqual({ servers: { countersign: value } });
  });

  it('keeps every comment behind its member', () => {
    const text = [
      '// my servers',
      '{',
      '  "servers": {',
      '    /* the good one */ "github": { "url": "x" } // do not lose this',
      '    // "old": {}',
      '  },',
      '  "inputs": [], // trailing comma next',
      '}',
      '',
    ].join('\n');
    expect(edited(set(text))).toBe(
      [
        '// my servers',
        '{',
        '  "servers": {',
        '    "countersign": {',
        '      "command": "npx",',
        '      "args": [',
        '        "serve"',
        '      ]',
        '    },',
        '    /* the good one */ "github": { "url": "x" } // do not lose this',
        '    // "old": {}',
        '  },',
        '  "inputs": [], // trailing comma next',
        '}',
        '',
      ].join('\n'),
    );
  });

  it('keeps tabs, line endings and the byte order mark of the file', () => {
    const text = '\uFEFF{\r\n\t"servers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n';
    const result = edited(set(text));
    expect(result.startsWith('\uFEFF{\r\n\t"servers": {\r\n\t\t"countersign": {\r\n\t\t\t"command"')).toBe(
      true,
    );
    expect(result.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('keeps a trailing comma', () => {
    const result = edited(set('{\n  "servers": { // all\n    "a": {}, // first\n  },\n}\n'));
    expect(result).toContain('"servers": { // all\n    "countersign": {');
    expect(result).toContain('    },\n    "a": {}, // first\n  },\n}\n');
  });

  it('keeps a one-line file on one line', () => {
    expect(edited(set('{"servers":{"a":{}},"n":1.50}', false))).toBe(
      '{"servers":{"countersign": {"command":"npx","args":["serve"]},"a":{}},"n":1.50}',
    );
  });

  it('replaces only its own older entry', () => {
    const text = '{\n  "servers": {\n    "countersign": { "command": "old" },\n    "b": 1e3\n  }\n}';
    const result = edited(set(text));
    expect(result).not.toContain('old');
    expect(result).toContain('    },\n    "b": 1e3\n  }\n}');
  });

  it('changes nothing if the entry is up to date', () => {
    expect(set(edited(set('{"servers": {}}'))).kind).toBe('same');
  });

  it.each([
    ['a comment in strict JSON', '{ // hello\n}', false, 'a comment'],
    ['a trailing comma in strict JSON', '{"a": 1,}', false, 'a key in double quotes is missing'],
    ['a file that is cut off', '{"servers": {"a": 1', true, 'a } is missing'],
    ['servers that are a list', '{"servers": []}', true, 'object is missing'],
    ['a duplicate key', '{"servers": {}, "servers": {"a": 1}}', true, 'twice'],
    ['two values', '{} {}', true, 'after the end'],
    ['no JSON', 'hello', true, 'no JSON'],
    ['a comment without an end', '{ /* }', true, 'does not end'],
    ['bottomless nesting', '['.repeat(5000), true, 'nested deeper'],
  ])('leaves %s unchanged', (_, text, lenient, reason) => {
    const edit = set(text, lenient);
    expect(edit).toMatchObject({ kind: 'unsafe', reason: expect.stringContaining(reason) });
  });

  it('never changes another value, for any content and layout', () => {
    const layouts = fc.constantFrom(undefined, 1, 2, 4, '\t');
    const keys = fc.oneof(fc.constantFrom('servers', 'countersign', 'a', '__proto__'), fc.string());
    const files = fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())));
    fc.assert(
      fc.property(files, layouts, (file, layout) => {
        const text = JSON.stringify(file, undefined, layout);
        const edit = set(text, false);
        if (edit.kind !== 'edit') return;
        const was: Record<string, unknown> = JSON.parse(text);
        const is: Record<string, unknown> = JSON.parse(edit.text);
        const { countersign, ...others } = Object(is.servers);
        expect(countersign).toEqual(value);
        const { countersign: _old, ...before } = Object(was.servers ?? {});
        expect(isDeepStrictEqual({ ...is, servers: others }, { ...was, servers: before })).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
