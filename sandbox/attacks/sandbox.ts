/** The sandbox with its attacks: the same options, and hostile answers by name. */
import { type Sandbox, type SandboxOptions, startSandbox as startHonest } from '../sandbox.ts';
import { Hostile } from './service/index.ts';

/** Starts a sandbox whose service can be told to play an attack. Rejects as the sandbox itself does. */
export const startSandbox = (options: SandboxOptions = {}): Promise<Sandbox> =>
  startHonest({ ...options, attacks: (tools) => new Hostile(tools) });
