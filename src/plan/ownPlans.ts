/** Plans this program builds itself: no service is asked for their bytes. Their names stand where others name an endpoint. */
export const OWN_PLANS = ['send', 'unwrapSol', 'reclaimRent'] as const;
export type OwnPlan = (typeof OWN_PLANS)[number];

/** Whether the bytes of a plan are built here. */
export const isOwnPlan = (endpoint: string): endpoint is OwnPlan =>
  OWN_PLANS.some((each) => each === endpoint);

/** Most payments of one request; of those that need new accounts fewer fit a transaction. */
export const MAX_PAYMENTS = 12;

type Fields = Readonly<Record<string, unknown>>;

/** The fields of each payment of a request: its own first, then its further ones. What they hold is not looked at. */
export const paymentsIn = (request: Fields): readonly Fields[] => [
  request,
  ...(Array.isArray(request.more) ? request.more.map((each): Fields => Object(each)) : []),
];
