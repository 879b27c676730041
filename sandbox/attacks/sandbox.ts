/** The sandbox with attacks by name. */
import { type Sandbox, type SandboxOptions, startSandbox as startHonest } from '../sandbox.ts';
import { Hostile } from './service/index.ts';

/** Starts a sandbox whose service can play attacks. Rejects like the sandbox. */
export const startSandbox = (options: SandboxOptions = {}): Promise<Sandbox> =>
  startHonest({ ...options, attacks: (tools) => new Hostile(tools) });
