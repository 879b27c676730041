/** Name, symbol and metadata URI of a launched token (T137). */
import type { TokenTexts } from '../../../../programs/acts.ts';
import { type Condition, exactly, inWords } from '../clauses.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';

const REGISTERED = 'the registered text';

/** Returns the conditions on a token's texts. Name and symbol are unchecked unless this home registered the token. */
export const calledAs = (
  { uri, name, symbol }: Partial<NonNullable<ExpectedOutcome['token']>> = {},
  is: TokenTexts | undefined,
): readonly Condition[] => [
  exactly('metadataLink', is?.uri.length, is?.uri === uri),
  inWords('tokenName', is?.name, name === undefined || is?.name === name, REGISTERED),
  inWords('tokenSymbol', is?.symbol, symbol === undefined || is?.symbol === symbol, REGISTERED),
];
