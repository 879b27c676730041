import { z } from 'zod';
import { FOUNDER_PERSONAL_FIELDS } from '../../src/contract/index.ts';
import { fromOutside, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

/** Removes identifying fields of founders and lists them as removed (B58). */
function withoutPersonalData(project: Record<string, unknown>): Record<string, unknown> {
  const { founders, ...rest } = project;
  if (!Array.isArray(founders)) return project;
  return {
    ...rest,
    founders: founders.map((founder: Record<string, unknown>) => ({
      // Only the fields that say how far the project is: unknown ones may be personal too.
      kycStatus: founder.kycStatus,
      pepCompleted: founder.pepCompleted,
      ipAttributionAcknowledged: founder.ipAttributionAcknowledged,
      shareBasisPoint: founder.shareBasisPoint,
    })),
  };
}

const SHOWN = [
  'tokenAddress',
  'incorporationStatus',
  'isReadyForIncorporation',
  'incorporationShareBasisPoint',
  'category',
  'createdAt',
  'preferredCompanyNames',
  'twitterHandle',
] as const;
const FOUNDER = [
  'id',
  'firstName',
  'lastName',
  'kycStatus',
  'pepCompleted',
  'ipAttributionAcknowledged',
  'shareBasisPoint',
] as const;

/** Known fields of a project. */
const known = ({ founders, ...project }: Record<string, unknown>) => ({
  ...picked(project, SHOWN),
  ...(Array.isArray(founders) ? { founders: founders.map((each: object) => picked(each, FOUNDER)) } : {}),
});

/** Incorporation projects of this API key (C-INCORP). */
export const listIncorporations = defineTool({
  name: 'list_incorporations',
  title: 'List incorporations',
  domain: 'incorporation',
  effect: 'read',
  description:
    'Incorporation projects of this API key and how far they are. Founders stay anonymous unless includePersonalData is true.',
  input: z.strictObject({
    includePersonalData: z.boolean().describe('Show founder ids and names.').nullish(),
    offset: ParamOffset,
  }),
  output: z.looseObject({
    projects: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    hidden: z.array(z.string()).optional(),
    untrusted: untrustedShape,
  }),
  async run({ includePersonalData, offset }, { service }) {
    const all = await service.call('listIncorporations', {});
    const answer = fromOffset(all, offset);
    const shown: Record<string, unknown>[] =
      includePersonalData === true ? answer : answer.map(withoutPersonalData);
    const { value, untrusted } = fromOutside({ projects: shown.map(known) }, [
      'preferredCompanyNames',
      'twitterHandle',
      'founders.firstName',
      'founders.lastName',
    ]);
    const { rows, cursor } = pageOf(value.projects, all.length, offset);
    return {
      ...cursor,
      projects: rows,
      ...(includePersonalData === true
        ? {}
        : { hidden: FOUNDER_PERSONAL_FIELDS.map((field) => `founders.${field}`) }),
      untrusted,
    };
  },
});
