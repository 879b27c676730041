/** Modifications of answers in transit: the payload of one path, its plan, a stage, the bytes, the bundle. */
import { type Fields, object, objects, text } from './harness.ts';
import type { Change } from './recorder.ts';

/** Changes the answers of one path only. */
export const at =
  (path: string, change: (payload: Fields) => unknown): Change =>
  (payload, address) =>
    address.includes(path) ? change(object(payload)) : payload;
export const onPlan = (change: (plan: Fields) => unknown): Change =>
  at('/fee-share/config/v2', (answer) =>
    answer.plan === null ? answer : { ...answer, plan: change(object(answer.plan)) },
  );
export const onStage = (change: (stage: Fields) => unknown): Change =>
  onPlan((plan) => ({ ...plan, transactions: objects(plan.transactions).map(change) }));
export const onBytes = (change: (bytes: Buffer) => Buffer | string): Change =>
  onStage((stage) => {
    const changed = change(Buffer.from(text(stage.transaction), 'base64'));
    return { ...stage, transaction: typeof changed === 'string' ? changed : changed.toString('base64') };
  });
export const onBundle = (change: (transactions: Fields[]) => unknown): Change =>
  at('/damm-v2/create-transaction', (answer) => ({
    ...answer,
    transactions: change(objects(answer.transactions)),
  }));
