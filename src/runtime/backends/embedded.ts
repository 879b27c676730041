/** The only import of the embedded sandbox by the product. It is loaded when it is first needed. */
export type { Sandbox, SandboxOptions } from '../../../sandbox/index.ts';

/** Loads the sandbox, its attacks and the demo. Rejects where its native runtime does not load. */
export const loadSandbox = () => import('../../../sandbox/index.ts');
