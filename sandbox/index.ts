/** The embedded sandbox with its attacks, and the demo: the product's entry to this folder. */
import type { AttackOptions } from './attacks/play.ts';
import type { DemoOptions } from './demo/demo.ts';

export { startSandbox } from './attacks/sandbox.ts';
export { readProgramFolder } from './programs/folder.ts';
export type { Sandbox, SandboxOptions } from './sandbox.ts';

/** Runs the demo. Returns the exit code. */
export const runDemo = async (options: DemoOptions): Promise<number> =>
  (await import('./demo/demo.ts')).runDemo(options);

/** Plays the attack table. Returns the exit code. */
export const runAttacks = async (options: AttackOptions): Promise<number> =>
  (await import('./attacks/play.ts')).runAttacks(options);
