import { defineProgram } from '../program.ts';
import { jupiterActs } from './acts.ts';
import { JUPITER_PROGRAM, jupiterLayouts, jupiterNamed } from './instructions.ts';

export const jupiter = defineProgram({
  name: 'Jupiter v6',
  addresses: [JUPITER_PROGRAM],
  source:
    'a published interface of the program; `route_v2`, `route` and `shared_accounts_route` were run with the real program. The values of the venues of a route are not interpreted',
  layouts: jupiterLayouts,
  acts: jupiterActs,
  named: jupiterNamed,
});
