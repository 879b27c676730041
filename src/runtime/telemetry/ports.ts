/**
 * The ports of a room, watched: what a call asks of the service, what is decided, signed and sent, how long a person takes
 * to answer. Each passes on what it is given and what it gets, unchanged.
 */
import type { Observer } from '../../base/observer.ts';
import type { LandingDeps } from '../../landing/ports.ts';
import type { DecisionInput, Ledger } from '../../ledger/types.ts';
import { toToolError } from '../../server/errors.ts';
import type { ServiceClient } from '../../service/index.ts';

const codeOf = (error: unknown): string => toToolError(error).code;

/** Questions whose answers are waited for at most; of the oldest beyond them nothing more is recorded. */
const MOST_QUESTIONS = 256;

/** Work as a span; a rejection leaves its code in it and goes on. */
function watched<T>(
  observer: Observer,
  what: Parameters<Observer['around']>[0],
  work: (note: (facts: Readonly<Record<string, string | undefined>>) => void) => Promise<T>,
): Promise<T> {
  return observer.around(what, async (note) => {
    try {
      return await work(note);
    } catch (error) {
      note({ 'error.type': codeOf(error) });
      throw error;
    }
  });
}

/** Each call of the service is a span with its endpoint. */
export const observedService = (service: ServiceClient, observer: Observer): ServiceClient => ({
  ...service,
  call: (endpoint, request, options) =>
    watched(
      observer,
      {
        name: `service ${endpoint}`,
        kind: 'client',
        facts: { 'countersign.endpoint': endpoint },
        duration: {
          metric: 'countersign.service.duration',
          by: ['countersign.endpoint', 'error.type'],
        },
      },
      () => service.call(endpoint, request, options),
    ),
});

/** What landing is made of, watched. */
export function observedDeps(deps: LandingDeps, observer: Observer): LandingDeps {
  const { chain, wallets, gather, policy } = deps;
  return {
    ...deps,
    ledger: observedLedger(deps.ledger, observer),
    chain: {
      ...chain,
      send: (transaction) =>
        watched(observer, { name: 'send', kind: 'client' }, async (note) => {
          const sent = await chain.send(transaction);
          note({ 'countersign.outcome': sent.outcome });
          return sent;
        }),
    },
    wallets: {
      ...wallets,
      signer: async (address) => {
        const signer = await wallets.signer(address);
        return {
          address,
          sign: (message, permit) =>
            watched(observer, { name: 'sign' }, async () => signer.sign(message, permit)),
        };
      },
    },
    gather: (input) => {
      const { planId, operation } = input.plan;
      const facts = {
        'countersign.plan': planId,
        'countersign.operation': operation,
        'countersign.purpose': input.purpose,
      };
      return watched(observer, { name: 'gather', facts }, () => gather(input));
    },
    policy: async () => {
      const active = await policy();
      return {
        ...active,
        evaluate: (facts, view) => {
          const { planId, operation } = facts.plan;
          const end = observer.begin({
            name: 'decide',
            facts: {
              'countersign.plan': planId,
              'countersign.operation': operation,
              'countersign.purpose': facts.purpose,
            },
          });
          try {
            const decision = active.evaluate(facts, view);
            end({ 'countersign.verdict': decision.effect, 'countersign.code': decision.reasonCodes[0] });
            return decision;
          } catch (error) {
            end({ 'error.type': codeOf(error) });
            throw error;
          }
        },
      };
    },
  };
}

/** Decisions, transactions and plans are counted as they are written; a question is a span until it is seen answered. */
function observedLedger(ledger: Ledger, observer: Observer): Ledger {
  const questions = new Map<string, ReturnType<Observer['begin']>>();
  const decided = ({ decision, purpose }: DecisionInput): void =>
    observer.count('countersign.decisions', {
      'countersign.verdict': decision.effect,
      'countersign.code': decision.reasonCodes[0],
      'countersign.purpose': purpose,
    });
  /** A method of the ledger whose refusals are counted by their code. */
  const counted =
    <A extends readonly unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await method(...args);
      } catch (error) {
        observer.count('countersign.ledger.failures', { 'error.type': codeOf(error) });
        throw error;
      }
    };
  const recordDecision = counted(ledger.recordDecision);
  const reserve = counted(ledger.reserve);
  const journalSigned = counted(ledger.journalSigned);
  const journalMove = counted(ledger.journalMove);
  const setMark = counted(ledger.setMark);
  const planRows = counted(ledger.planRows);
  const transaction = (state: string): void =>
    observer.count('countersign.transactions', { 'countersign.state': state });
  return {
    ...ledger,
    probe: counted(ledger.probe),
    storePlan: counted(ledger.storePlan),
    recordDecision: async (input) => {
      const recorded = await recordDecision(input);
      decided(input);
      return recorded;
    },
    reserve: async (request) => {
      const outcome = await reserve(request);
      if (outcome.ok) decided(request.decision);
      else observer.count('countersign.reservations.refused', { 'countersign.code': outcome.code });
      return outcome;
    },
    journalSigned: async (lease, reservationId, row) => {
      const outcome = await journalSigned(lease, reservationId, row);
      if (outcome.ok) transaction('signed');
      return outcome;
    },
    journalMove: async (signature, state, change) => {
      await journalMove(signature, state, change);
      transaction(state);
    },
    setMark: async (planId, mark) => {
      await setMark(planId, mark);
      if (mark.stageId === undefined)
        observer.count('countersign.plans', { 'countersign.status': mark.status });
    },
    askApproval: async (row) => {
      const asked = await ledger.askApproval(row);
      const [oldest] = questions.keys();
      if (questions.size >= MOST_QUESTIONS && oldest !== undefined) questions.delete(oldest);
      if (asked.state === 'pending' && !questions.has(asked.id))
        questions.set(
          asked.id,
          observer.begin({
            name: 'approval',
            facts: { 'countersign.plan': asked.planId, 'countersign.approval': asked.id },
            duration: {
              metric: 'countersign.approval.duration',
              by: ['countersign.answer', 'countersign.channel'],
            },
          }),
        );
      return asked;
    },
    planRows: async (planId, decisions) => {
      const found = await planRows(planId, decisions);
      for (const { id, state, channel } of found?.approvals ?? []) {
        if (state === 'pending') continue;
        questions.get(id)?.({ 'countersign.answer': state, 'countersign.channel': channel });
        questions.delete(id);
      }
      return found;
    },
  };
}
