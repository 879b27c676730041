/** What a launched token is called: what it was registered as, and described where the request says (T137). */
import type { TokenTexts } from '../../../../programs/acts.ts';
import { type Condition, exactly, inWords } from '../clauses.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';

const REGISTERED = 'what it was registered as';

/** The names are not held to anything where this home did not register the token. */
export const calledAs = (
  { uri, name, symbol }: Partial<NonNullable<ExpectedOutcome['token']>> = {},
  is: TokenTexts | undefined,
): readonly Condition[] => [
  exactly('metadataLink', is?.uri.length, is?.uri === uri),
  inWords('tokenName', is?.name, name === undefined || is?.name === name, REGISTERED),
  inWords('tokenSymbol', is?.symbol, symbol === undefined || is?.symbol === symbol, REGISTERED),
];
