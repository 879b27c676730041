/** The contract as it is written: its own names, base64 everywhere, no root URL. */
import type { ServiceProfile } from './profile.ts';

export const contractProfile: ServiceProfile = {
  name: 'contract',
  basePath: '/api/v1',
  paths: {},
  sends: {},
  requestNames: {},
  responseNames: {},
  encodings: {},
  paysConfigs: false,
  // The wallet-signature login is an addition of one deployment (C-AUTH-06).
  unavailable: ['authInit', 'authCallback'],
  notFound: {},
  refuse: () => undefined,
  addresses: {},
};
