/** The smallest program there is: it returns success and does nothing else. */
import { compiledProgram } from '../../sandbox/programs/standIns.ts';

/** The program's file. */
export const harmlessProgram = (): Uint8Array => compiledProgram('harmless');
