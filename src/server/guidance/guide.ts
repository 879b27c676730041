/**
 * Guide texts for agents: the operating guide and the launch configuration types as resources, and the guide as a
 * skill of the MCP Skills extension (`io.modelcontextprotocol/skills`), whose entry has the digest of each file.
 * Loaded on first read.
 */
import { createHash } from 'node:crypto';
import { CONFIG_TYPES } from '../../contract/configTypes.ts';
import generated from './guide.generated.json' with { type: 'json' };

export const SKILL_URI = 'skill://countersign/SKILL.md';
const CODES_URI = 'skill://countersign/references/codes.md';

const FRONTMATTER = {
  name: 'countersign',
  description:
    'How to launch tokens, split and claim fees and swap with the Countersign tools: build a plan, review it, submit it; what each status, reason and error means and what to do next.',
} as const;

const skillText = `---\nname: ${FRONTMATTER.name}\ndescription: "${FRONTMATTER.description}"\n---\n\n${generated.skill}`;

/** A resource in `resources/list`. */
export interface GuideResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** The resources of this file, in listing order. */
export const GUIDE_RESOURCES: readonly GuideResource[] = [
  {
    uri: 'guide://operating',
    name: 'operating-guide',
    title: 'Operating guide',
    description: 'Three moves, plan statuses, jobs step by step, every reason code with cause and next step.',
    mimeType: 'text/markdown',
  },
  {
    uri: 'guide://config-types',
    name: 'config-types',
    title: 'Launch configuration types',
    description: 'The values of serviceConfigType with their fees, thresholds and locks on SOL quotes.',
    mimeType: 'application/json',
  },
];

const TEXTS: Readonly<Record<string, () => { mimeType: string; text: string }>> = {
  'guide://operating': () => ({ mimeType: 'text/markdown', text: generated.guide }),
  'guide://config-types': () => ({
    mimeType: 'application/json',
    text: JSON.stringify({ configTypes: Object.values(CONFIG_TYPES) }, undefined, 2),
  }),
  [SKILL_URI]: () => ({ mimeType: 'text/markdown', text: skillText }),
  [CODES_URI]: () => ({ mimeType: 'text/markdown', text: generated.codes }),
};

/** Returns the text of a `guide://` or `skill://` URI, or `undefined` if unknown. */
export const readGuide = (uri: string): { mimeType: string; text: string } | undefined =>
  Object.hasOwn(TEXTS, uri) ? TEXTS[uri]?.() : undefined;

/** A skill in `skills/list` and `skills/get`. */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: { readonly name: string; readonly description: string };
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

/** Returns the server's only skill. */
export function skillEntry(): SkillEntry {
  const resources = [SKILL_URI, CODES_URI].map((uri) => {
    const bytes = Buffer.from(readGuide(uri)?.text ?? '', 'utf8');
    return {
      uri,
      digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      size: bytes.length,
    };
  });
  return { uri: SKILL_URI, frontmatter: FRONTMATTER, resources };
}
