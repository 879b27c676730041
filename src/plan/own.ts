/** Plans this program builds itself: no service is asked for their bytes. Their names stand where others name an endpoint. */
export const OWN_PLANS = ['send', 'reclaimRent'] as const;
export type OwnPlan = (typeof OWN_PLANS)[number];

/** Whether the bytes of a plan are built here. */
export const isOwnPlan = (endpoint: string): endpoint is OwnPlan =>
  OWN_PLANS.some((each) => each === endpoint);
