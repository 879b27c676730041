/** The product's only import of the embedded sandbox, loaded on first use. */
export type { Sandbox, SandboxOptions } from '../../../sandbox/index.ts';

/** Loads the sandbox, its attacks and the demo. Rejects if its native runtime does not load. */
export const loadSandbox = () => import('../../../sandbox/index.ts');
