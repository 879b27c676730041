/**
 * `countersign demo`: the main job, end to end, through a real MCP client talking to a spawned
 * `serve --sandbox`. Exits 0 only if every step held.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onEarlyEnd } from '../../src/cli/earlyExit.ts';
import { systemClock } from '../../src/clock.ts';
import { configSteps, keyStep, tokenStep } from './configSteps.ts';
import { claimStep, custodyStep, tradeStep } from './launchSteps.ts';
import { evmStep, incorporationStep } from './readSteps.ts';
import { openSession, text } from './session.ts';
import type { DemoState, DemoStep } from './steps.ts';
import { swapStep, twoWalletsStep } from './tradeSteps.ts';
import { jsonTranscript, personTranscript, type Step } from './transcript.ts';

const STEPS: DemoStep[] = [
  twoWalletsStep,
  keyStep,
  tokenStep,
  ...configSteps,
  swapStep,
  custodyStep,
  tradeStep,
  claimStep,
  evmStep,
  incorporationStep,
];

export interface DemoOptions {
  json: boolean;
  /** The script that `node` runs as `countersign`. */
  command: string;
  out: NodeJS.WriteStream;
  now(): number;
}

/** Runs the demo in a temporary home folder. Returns the exit code. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const transcript = options.json ? jsonTranscript(options.out) : personTranscript(options.out, options.now);
  const home = await mkdtemp(join(tmpdir(), 'countersign-demo-'));
  const startedAt = options.now();
  const steps: Step[] = [];
  const session = await openSession(options.command, home);
  const cleanUpOnce = async () => {
    await session.close();
    await rm(home, { recursive: true, force: true });
  };
  const early = onEarlyEnd(cleanUpOnce);
  try {
    const { data } = await session.call('get_wallet');
    const state: DemoState = {
      session,
      wallet: text(data, 'address'),
      facts: new Map(),
      pause: (milliseconds) => systemClock.sleep(milliseconds),
    };
    for (const each of STEPS) {
      transcript.start(each.title);
      const step = await runStep(each, state, transcript);
      steps.push(step);
    }
  } finally {
    early.forget();
    await cleanUpOnce();
  }
  transcript.finish(steps, (options.now() - startedAt) / 1000);
  return steps.every((step) => step.ok) ? 0 : 1;
}

async function runStep(
  each: DemoStep,
  state: DemoState,
  transcript: ReturnType<typeof jsonTranscript>,
): Promise<Step> {
  const { step, lines } = await each.run(state).catch((cause: unknown) => {
    const error = cause instanceof Error ? cause.message : String(cause);
    return { step: { ok: false, error }, lines: [error] };
  });
  const whole: Step = { step: each.name, ...step, ok: step.ok === true };
  transcript.end(whole, lines);
  return whole;
}
