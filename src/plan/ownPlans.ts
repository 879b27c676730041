/** Endpoint names of plans that are built locally. */
export const OWN_PLANS = ['send', 'unwrapSol', 'reclaimRent'] as const;
export type OwnPlan = (typeof OWN_PLANS)[number];

/** Whether a plan is built locally. */
export const isOwnPlan = (endpoint: string): endpoint is OwnPlan =>
  OWN_PLANS.some((each) => each === endpoint);

/** Maximum number of payments in a request; fewer fit a transaction if they need new accounts. */
export const MAX_PAYMENTS = 12;

type Fields = Readonly<Record<string, unknown>>;

/** Returns the unchecked fields of each payment of a request: first the request itself, then `more`. */
export const paymentsIn = (request: Fields): readonly Fields[] => [
  request,
  ...(Array.isArray(request.more) ? request.more.map((each): Fields => Object(each)) : []),
];
