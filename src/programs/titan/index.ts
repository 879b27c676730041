import { defineProgram } from '../program.ts';
import { titanActs } from './acts.ts';
import { TITAN_PROGRAM, titanLayouts, titanNamed } from './instructions.ts';

export const titan = defineProgram({
  name: 'Titan',
  addresses: [TITAN_PROGRAM],
  source:
    'an example published by the makers of the program, which has not been run. The steps of a route are kept as bytes',
  layouts: titanLayouts,
  acts: titanActs,
  named: titanNamed,
});
