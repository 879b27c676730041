/** Guide texts for agents as resources: the operating guide and the launch configuration types. Loaded on first read. */
import { CONFIG_TYPES } from '../../contract/configTypes.ts';
import generated from './guide.generated.json' with { type: 'json' };

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
};

/** Returns the text of a `guide://` URI, or `undefined` if unknown. */
export const readGuide = (uri: string): { mimeType: string; text: string } | undefined =>
  Object.hasOwn(TEXTS, uri) ? TEXTS[uri]?.() : undefined;
