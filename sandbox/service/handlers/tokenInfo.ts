/** POST /token-launch/create-token-info: a launch record with a mint of its own, in status PRE_LAUNCH. */
import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import type { EndpointRequest } from '../../../src/contract/index.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import type { Launch, User } from '../state.ts';

export const tokenInfoHandlers = {
  createTokenInfo: (service, request, user) => createTokenInfo(service, request, user),
} satisfies Handlers;

function createTokenInfo(service: ServiceContext, request: EndpointRequest<'createTokenInfo'>, user: User) {
  const { state, keys } = service;
  const now = service.now();
  const image = request.imageUrl ?? (request.image ? contentLink(request.image.bytes) : '');
  const about = Buffer.from(JSON.stringify([request.name, request.symbol, request.description, image]));
  const launch: Launch = {
    tokenMint: keys.tokenMint(state.launches.size).address,
    serial: state.launches.size,
    candidates: [],
    userId: user.userId,
    name: request.name,
    symbol: request.symbol,
    description: request.description,
    image,
    uri: request.metadataUrl ?? contentLink(about),
    telegram: request.telegram ?? null,
    twitter: request.twitter ?? null,
    website: request.website ?? null,
    createdAt: now,
    updatedAt: now,
  };
  state.launches.set(launch.tokenMint, launch);
  return { tokenMint: launch.tokenMint, tokenMetadata: launch.uri, tokenLaunch: wireLaunch(service, launch) };
}

/** A launch record as answers show it. */
export function wireLaunch(service: ServiceContext, launch: Launch) {
  return {
    userId: launch.userId,
    name: launch.name,
    symbol: launch.symbol,
    description: launch.description,
    telegram: launch.telegram,
    twitter: launch.twitter,
    website: launch.website,
    image: launch.image,
    tokenMint: launch.tokenMint,
    status: service.state.launchStatusOf(launch),
    launchWallet: launch.launchWallet ?? null,
    launchSignature: launch.launchSignature ?? null,
    uri: launch.uri,
    createdAt: new Date(launch.createdAt).toISOString(),
    updatedAt: new Date(launch.updatedAt).toISOString(),
  };
}

/** A content address of the bytes, in the usual form (sha2-256 multihash in base58). */
function contentLink(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest();
  return `ipfs://${bs58.encode(Buffer.concat([Uint8Array.of(0x12, 0x20), digest]))}`;
}
