/** Constants the service's own package publishes. */
import { createRequire } from 'node:module';

const constants = createRequire(import.meta.url)('@bagsfm/bags-sdk/dist/constants.js');

/** The package's recipients of tips. */
export const JITO_TIP_ACCOUNTS: readonly string[] = constants.JITO_TIP_ACCOUNTS.map(String);
