/** Incorporation projects. docs/contract.md C-INCORP-01 … 04. */
import { z } from 'zod';
import { reading, writing } from '../endpoint.ts';
import { flags, texts } from '../nullishFields.ts';
import { publicKey } from '../params.ts';

/** A request without body; `tokenAddress` must be a mint, since it is part of the path (B57). */
export const startIncorporation = writing('/incorporate/start-incorporation/{tokenAddress}', {
  send: 'none',
  pathParams: ['tokenAddress'],
  request: z.strictObject({ tokenAddress: publicKey('Token mint.') }),
  response: z.looseObject({ tokenAddress: z.string(), incorporationStarted: z.boolean() }),
  reconcile:
    'The incorporation may have been started. Read list_incorporations to find out before asking again.',
  notFound: 'The service knows no such project, or does not offer incorporation.',
});

export const founderSchema = z.looseObject({
  ...texts('id', 'firstName', 'lastName', 'kycStatus'),
  shareBasisPoint: z.number().nullish(),
  ...flags('pepCompleted', 'ipAttributionAcknowledged'),
});

/** Fields of a founder that identify a person; hidden unless asked for (B58). */
export const FOUNDER_PERSONAL_FIELDS = ['id', 'firstName', 'lastName'] as const;

const project = z.looseObject({
  tokenAddress: z.string(),
  ...texts('incorporationStatus', 'createdAt', 'category', 'twitterHandle'),
  incorporationShareBasisPoint: z.number().nullish(),
  preferredCompanyNames: z.array(z.string()).nullish(),
  isReadyForIncorporation: z.boolean().nullish(),
});

export const listIncorporations = reading('/incorporate/list', {
  send: 'none',
  request: z.strictObject({}),
  response: z.array(project.extend({ founders: z.array(founderSchema).nullish() })),
  notFound: 'The service does not offer incorporation.',
});
