/** Incorporation projects. docs/contract.md C-INCORP-01 … 04. */
import { z } from 'zod';
import { reading, writing } from '../endpoint.ts';
import { publicKey } from '../params.ts';

/** The contract has no body here; `tokenAddress` is a mint, so nothing else can reach the path (B57). */
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
  id: z.string().nullish(),
  firstName: z.string().nullish(),
  lastName: z.string().nullish(),
  kycStatus: z.string().nullish(),
  pepCompleted: z.boolean().nullish(),
  ipAttributionAcknowledged: z.boolean().nullish(),
  shareBasisPoint: z.number().nullish(),
});

/** Fields of a founder that identify a person; hidden unless asked for (B58). */
export const FOUNDER_PERSONAL_FIELDS = ['id', 'firstName', 'lastName'] as const;

export const listIncorporations = reading('/incorporate/list', {
  send: 'none',
  request: z.strictObject({}),
  response: z.array(
    z.looseObject({
      tokenAddress: z.string(),
      incorporationStatus: z.string().nullish(),
      founders: z.array(founderSchema).nullish(),
      incorporationShareBasisPoint: z.number().nullish(),
      createdAt: z.string().nullish(),
      preferredCompanyNames: z.array(z.string()).nullish(),
      isReadyForIncorporation: z.boolean().nullish(),
      category: z.string().nullish(),
      twitterHandle: z.string().nullish(),
    }),
  ),
  notFound: 'The service does not offer incorporation.',
});

/** One project; unlike the list it names no founder (C-INCORP-05). */
export const incorporationDetails = reading('/incorporate/details/{tokenAddress}', {
  send: 'none',
  pathParams: ['tokenAddress'],
  request: z.strictObject({ tokenAddress: publicKey('Token mint.') }),
  response: z.looseObject({
    tokenAddress: z.string(),
    incorporationStatus: z.string().nullish(),
    incorporationShareBasisPoint: z.number().nullish(),
    createdAt: z.string().nullish(),
    preferredCompanyNames: z.array(z.string()).nullish(),
    isReadyForIncorporation: z.boolean().nullish(),
    category: z.string().nullish(),
    twitterHandle: z.string().nullish(),
  }),
  notFound: 'The service knows no such project, or does not offer incorporation.',
});
