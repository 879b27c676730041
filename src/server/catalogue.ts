/**
 * Which tools a client sees. Reads the list made by `npm run gen`, so that listing tools builds no schema.
 */
import type { Domain, ToolEffect } from '../../tools/tool.ts';
import generated from './catalogue.generated.json' with { type: 'json' };
import { OPT_IN } from './optIn.ts';

/** One tool as the generated list holds it: how to choose it, and how clients see it. */
export interface ListedTool {
  readonly domain: Domain;
  readonly effect: ToolEffect;
  readonly tool: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly annotations: Readonly<Record<string, boolean>>;
    readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
    readonly outputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  };
}

/** The whole catalogue, the legacy tools included, in order. The file is written by `npm run gen` in this shape. */
export const listed = generated as readonly ListedTool[];

/** Domains every client gets, whatever `--toolsets` says. */
const ALWAYS: readonly Domain[] = ['account', 'plan', 'wallet'];

/** What `--toolsets` accepts. */
export const TOOLSETS: readonly string[] = [...new Set(listed.map((each) => each.domain)), 'default'];

/** An unknown toolset; the message lists the known ones. */
export class ToolsetError extends Error {
  constructor(name: string) {
    super(`There is no toolset "${name}". Toolsets: ${TOOLSETS.join(', ')}.`);
    this.name = 'ToolsetError';
  }
}

export interface Selection {
  /** Domain names and `default` (everything but the toolsets that are served on request). Absent: `default`. */
  readonly toolsets?: readonly string[] | undefined;
  /** Hides every tool that is not a read. */
  readonly readOnly?: boolean | undefined;
}

/** The tools of a selection, in catalogue order. Throws `ToolsetError` for an unknown toolset. */
export function select({ toolsets = ['default'], readOnly = false }: Selection): ListedTool[] {
  const unknown = toolsets.find((name) => !TOOLSETS.includes(name));
  if (unknown !== undefined) throw new ToolsetError(unknown);
  const wanted = (domain: Domain): boolean =>
    ALWAYS.includes(domain) ||
    toolsets.includes(domain) ||
    (toolsets.includes('default') && !OPT_IN.includes(domain));
  return listed.filter((each) => wanted(each.domain) && (!readOnly || each.effect === 'read'));
}
