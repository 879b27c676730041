/** Hostile mode: serves an attack by name. */
import type { EndpointName } from '../../../src/contract/index.ts';
import type { Draft } from '../../service/build/compile.ts';
import type { HostileMode } from '../../service/hostile.ts';
import { ATTACKS } from './attacks.ts';
import type { Attack, AttackTools, DraftPlace, Fields, HostileHook } from './types.ts';

export { attackersOf, lookalike } from './assets.ts';
export { ATTACKS } from './attacks.ts';
export { lyingChain } from './lyingChain.ts';
export { secondWallet } from './rows/bytes.ts';
export { unsupportedProgramOf } from './rows/unsupported.ts';
export { ACCEPTED_SLOT, acceptedProgram, forwardingAddress as passingOn } from './rows/value.ts';
export type { Attack, AttackTools, DraftPlace, HostileHook } from './types.ts';

/** The attack being served, if any. Honest unless told otherwise. */
export class Hostile implements HostileMode {
  readonly tools: AttackTools;
  #attack: Attack | undefined;
  #begun = false;
  #end: (() => void) | undefined;
  #hook: HostileHook | undefined;

  constructor(tools: Omit<AttackTools, 'lies'>) {
    this.tools = { ...tools, lies: new Map() };
  }

  /** Serves an attack by name or a hook; `undefined` goes back to honesty. Throws RangeError for an unknown name. */
  use(mode: string | HostileHook | undefined): void {
    const attack = typeof mode === 'string' ? ATTACKS.get(mode) : undefined;
    if (typeof mode === 'string' && attack === undefined)
      throw new RangeError(
        `No attack is called "${mode}". \`countersign demo --attacks\` plays and names them.`,
      );
    // The same attack continues.
    if (attack !== undefined && attack === this.#attack) return;
    this.#end?.();
    this.tools.lies.clear();
    this.#end = undefined;
    this.#hook = typeof mode === 'function' ? mode : undefined;
    this.#attack = attack;
    this.#begun = false;
  }

  list() {
    return [...ATTACKS].map(([name, { row, does }]) => ({ name, row, does }));
  }

  /** Prepares the chain for the attack, once. The seeded tokens must be launched. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#end = this.#attack?.begin?.(this.tools);
  }

  /** Replaces the request. */
  request(endpoint: EndpointName, request: unknown): unknown {
    const attack = this.#for(endpoint);
    this.begin();
    return attack?.request === undefined ? request : attack.request(fields(request), this.tools, endpoint);
  }

  /** Changes a draft before it is compiled. */
  draft(draft: Draft, place: DraftPlace): Draft {
    return this.#for(place.endpoint)?.draft?.(draft, place, this.tools) ?? draft;
  }

  /** Changes the finished answer. */
  async answer(endpoint: EndpointName, answer: unknown, request: unknown): Promise<unknown> {
    const attack = this.#for(endpoint);
    const requested = fields(request);
    const served =
      attack?.answer === undefined ? answer : attack.answer(answer, requested, this.tools, endpoint);
    return this.#hook === undefined
      ? served
      : this.#hook(endpoint, served, { request: requested, tools: this.tools });
  }

  #for(endpoint: EndpointName): Attack | undefined {
    const { endpoints } = this.#attack ?? {};
    return endpoints === undefined || endpoints.includes(endpoint) ? this.#attack : undefined;
  }
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
