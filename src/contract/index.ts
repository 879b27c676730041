/**
 * The contract: the endpoint table with request and answer schemas, shared by the service client and the sandbox service. No
 * I/O. Rules: docs/contract.md.
 */
import type { z } from 'zod';
import { authCallback, authInit, createAgentKey, ping } from './endpoints/account.ts';
import { claimStats, tokenLifetimeFees, topTokens } from './endpoints/analytics.ts';
import {
  claimablePositions,
  claimEvents,
  claimTxs,
  claimVault,
  deployerClaimables,
  deployerClaimTxs,
  vaultClaimables,
} from './endpoints/claims.ts';
import { evmCreatorEarnings, evmCreatorRoster, evmTokenCreations, evmTrades } from './endpoints/evm.ts';
import { feeShareConfig, feeShareWallet, updateFeeShareConfig } from './endpoints/feeShare.ts';
import { listIncorporations, startIncorporation } from './endpoints/incorporation.ts';
import {
  curveLaunch,
  curveLaunchV2,
  dammLaunch,
  dammLaunchV2,
  launchCreators,
  launchFeed,
} from './endpoints/launch.ts';
import { adminTokens, partnerStats } from './endpoints/partner.ts';
import { createTokenInfo, dammSupportedQuoteTokens, supportedQuoteTokens } from './endpoints/token.ts';
import { tradeQuote, tradeSwap } from './endpoints/trade.ts';

/** Every endpoint of the contract, by the name the rest of the project uses. */
export const endpoints = {
  ping,
  createAgentKey,
  authInit,
  authCallback,
  createTokenInfo,
  supportedQuoteTokens,
  dammSupportedQuoteTokens,
  dammLaunch,
  dammLaunchV2,
  curveLaunch,
  curveLaunchV2,
  launchFeed,
  launchCreators,
  feeShareConfig,
  updateFeeShareConfig,
  feeShareWallet,
  claimTxs,
  claimablePositions,
  claimEvents,
  vaultClaimables,
  claimVault,
  deployerClaimables,
  deployerClaimTxs,
  tradeQuote,
  tradeSwap,
  evmTrades,
  evmTokenCreations,
  evmCreatorRoster,
  evmCreatorEarnings,
  startIncorporation,
  listIncorporations,
  tokenLifetimeFees,
  topTokens,
  claimStats,
  partnerStats,
  adminTokens,
} as const;

export type EndpointName = keyof typeof endpoints;
export type EndpointRequest<N extends EndpointName> = z.infer<(typeof endpoints)[N]['request']>;
export type EndpointResponse<N extends EndpointName> = z.infer<(typeof endpoints)[N]['response']>;

/** All names, in table order. */
export const ENDPOINT_NAMES = Object.keys(endpoints) as readonly EndpointName[];

export * from './configTypes.ts';
export * from './constants.ts';
export * from './endpoints/account.ts';
export * from './endpoints/analytics.ts';
export * from './endpoints/claims.ts';
export * from './endpoints/evm.ts';
export * from './endpoints/evmPages.ts';
export * from './endpoints/feeShare.ts';
export * from './endpoints/incorporation.ts';
export * from './endpoints/launch.ts';
export * from './endpoints/partner.ts';
export * from './endpoints/token.ts';
export * from './endpoints/trade.ts';
export { readHandle } from './handles.ts';
export { describeIssues, fieldPath } from './issues.ts';
export * from './params.ts';
export * from './plan.ts';
export { unreadRows } from './tolerant.ts';
