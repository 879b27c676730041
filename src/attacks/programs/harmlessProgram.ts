/** The smallest program there is: it returns success and does nothing else. */
import { exit, program, set } from './assembly.ts';

/** The program's file. */
export const harmlessProgram = (): Uint8Array => program([set(0, 0), exit]);
