/** The catalogue: all tools in the order of the client's list. Some toolsets are off by default. */
import { createAgentKey } from './account/createAgentKey.ts';
import { getStatus } from './account/getStatus.ts';
import { listAdminTokens } from './admin/listAdminTokens.ts';
import { getLifetimeFees } from './analytics/getLifetimeFees.ts';
import { getTokenFacts } from './analytics/getTokenFacts.ts';
import { listCreatorTokens } from './analytics/listCreatorTokens.ts';
import { listTopTokens } from './analytics/listTopTokens.ts';
import { claimAllFees } from './claims/claimAllFees.ts';
import { reclaimRent } from './claims/reclaimRent.ts';
import { getEvmCreatorEarnings } from './evm/getEvmCreatorEarnings.ts';
import { getEvmCreatorRoster } from './evm/getEvmCreatorRoster.ts';
import { listEvmTokenCreations } from './evm/listEvmTokenCreations.ts';
import { listEvmTrades } from './evm/listEvmTrades.ts';
import { createDeployerClaims } from './fees/createDeployerClaims.ts';
import { createFeeClaims } from './fees/createFeeClaims.ts';
import { createFeeShareConfig } from './fees/createFeeShareConfig.ts';
import { createVaultClaim } from './fees/createVaultClaim.ts';
import { listClaimablePositions } from './fees/listClaimablePositions.ts';
import { listClaimEvents } from './fees/listClaimEvents.ts';
import { listDeployerClaimables } from './fees/listDeployerClaimables.ts';
import { listVaultClaimables } from './fees/listVaultClaimables.ts';
import { resolveFeeShareWallet } from './fees/resolveFeeShareWallet.ts';
import { updateFeeShareConfig } from './fees/updateFeeShareConfig.ts';
import { listIncorporations } from './incorporation/listIncorporations.ts';
import { startIncorporation } from './incorporation/startIncorporation.ts';
import { createCurveLaunch } from './launch/createCurveLaunch.ts';
import { createDammLaunch } from './launch/createDammLaunch.ts';
import { createFeeShareDammLaunch } from './launch/createFeeShareDammLaunch.ts';
import { createTokenInfo } from './launch/createTokenInfo.ts';
import { getLaunchCreators } from './launch/getLaunchCreators.ts';
import { getLaunchFeed } from './launch/getLaunchFeed.ts';
import { listSupportedQuoteTokens } from './launch/listSupportedQuoteTokens.ts';
import { getPartnerStats } from './partner/getPartnerStats.ts';
import { cancelPlan } from './plan/cancelPlan.ts';
import { getPlan } from './plan/getPlan.ts';
import { listPlans } from './plan/listPlans.ts';
import { reviewPlan } from './plan/reviewPlan.ts';
import { submitPlan } from './plan/submitPlan.ts';
import { send } from './send/send.ts';
import { unwrapSol } from './send/unwrapSol.ts';
import type { Tool } from './tool.ts';
import { createSwap } from './trade/createSwap.ts';
import { getSwapQuote } from './trade/getSwapQuote.ts';
import { getActivity } from './wallet/getActivity.ts';
import { getPolicy } from './wallet/getPolicy.ts';
import { getWallet } from './wallet/getWallet.ts';
import { listDecisions } from './wallet/listDecisions.ts';

/** All tools, typed without their schemas. */
export const catalogue: readonly Tool[] = [
  createAgentKey,
  getStatus,
  createTokenInfo,
  listSupportedQuoteTokens,
  createDammLaunch,
  createFeeShareDammLaunch,
  createCurveLaunch,
  getLaunchFeed,
  getLaunchCreators,
  createFeeShareConfig,
  updateFeeShareConfig,
  resolveFeeShareWallet,
  listClaimablePositions,
  createFeeClaims,
  listVaultClaimables,
  createVaultClaim,
  listDeployerClaimables,
  createDeployerClaims,
  claimAllFees,
  listClaimEvents,
  getSwapQuote,
  createSwap,
  send,
  unwrapSol,
  listEvmTrades,
  listEvmTokenCreations,
  getEvmCreatorRoster,
  getEvmCreatorEarnings,
  startIncorporation,
  listIncorporations,
  reviewPlan,
  submitPlan,
  getPlan,
  listPlans,
  cancelPlan,
  getWallet,
  getPolicy,
  listDecisions,
  getActivity,
  reclaimRent,
  getTokenFacts,
  getLifetimeFees,
  listCreatorTokens,
  listTopTokens,
  getPartnerStats,
  listAdminTokens,
];
