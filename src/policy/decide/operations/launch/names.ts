/** What a launched token is called: what it was registered as, and described where the request says (T137). */
import type { TokenTexts } from '../../../../programs/acts.ts';
import { type Condition, exactly, inWords } from '../clauses.ts';
import type { Expectation } from '../expectation.ts';

/** The names are not held to anything where this home did not register the token. */
export const calledAs = (token: Expectation['token'], is: TokenTexts | undefined): readonly Condition[] => [
  exactly('metadata link', is?.uri.length, is?.uri === token?.uri),
  ...(token?.name === undefined
    ? []
    : [
        inWords('name of the token', is?.name, is?.name === token.name, 'what it was registered as'),
        inWords('symbol of the token', is?.symbol, is?.symbol === token.symbol, 'what it was registered as'),
      ]),
];
