import { defineProgram } from '../program.ts';
import { jupiterActs } from './acts.ts';
import { JUPITER_PROGRAM, jupiterLayouts, jupiterNamed } from './instructions.ts';

export const jupiter = defineProgram({
  name: 'Jupiter v6',
  addresses: [JUPITER_PROGRAM],
  source:
    'a published interface of the program; `route_v2` was run with the real program. The steps of a route are kept as bytes and not read',
  layouts: jupiterLayouts,
  acts: jupiterActs,
  named: jupiterNamed,
});
