/** Resolves the creator: a wallet, a social handle, or the wallet of this server. */
import { z } from 'zod';
import { feeShareWalletFields, publicKey, readHandle, refusing } from '../../src/contract/index.ts';
import type { ToolContext } from '../tool.ts';

/** Arguments of a creator. */
export const creatorFields = {
  wallet: publicKey('Wallet of the creator. Default: yours.').nullish(),
  provider: feeShareWalletFields.provider.describe('With username: platform of the handle.').nullish(),
  username: feeShareWalletFields.username
    .describe('Handle in place of a wallet, with or without @, or profile link.')
    .nullish(),
};

const shape = z.object(creatorFields);
type Creator = z.output<typeof shape>;

/** Checks that a handle has a platform and no wallet. */
export function checkCreator(value: Creator, context: z.RefinementCtx): void {
  const refuse = refusing(value, context);
  const { wallet, provider, username } = value;
  if ((provider == null) !== (username == null)) {
    refuse(provider == null ? 'provider' : 'username', 'provider and username go together');
  } else if (provider != null && username != null) {
    const read = readHandle(provider, username);
    if (wallet != null) refuse('wallet', 'name a wallet or a handle, not both');
    if ('problem' in read) refuse('username', read.problem);
  }
}

/** Returns the creator's wallet and its handle. Rejects like the service for an unknown handle. */
export async function walletOf(
  { wallet, provider, username }: Creator,
  context: Pick<ToolContext, 'service' | 'wallet'>,
): Promise<{ wallet: string; handle?: string }> {
  if (provider == null || username == null) return { wallet: wallet ?? (await context.wallet.address()) };
  const read = readHandle(provider, username);
  // The schema has validated the handle.
  const handle = 'handle' in read ? read.handle : username;
  const found = await context.service.call('feeShareWallet', { provider, username: handle, chain: 'SOL' });
  return { wallet: found.wallet, handle: `${provider}/${handle}` };
}

/** A token of a creator, and the creator's roles. */
export type CreatorToken = {
  tokenMint: string;
  /** Share of the claimers' fees in basis points; absent for none. */
  shareBps?: number;
  /** Whether it launched the token; known for the service's newest launches only. */
  launched?: true;
  /** Whether it may change the claimers. */
  manages?: true;
};

/**
 * Returns the tokens that a wallet earns from, launched or manages, in this order, and which of the last two lists were
 * unavailable. Rejects if the first is.
 */
export async function tokensOf(
  wallet: string,
  { service }: Pick<ToolContext, 'service'>,
): Promise<{ tokens: CreatorToken[]; unread: string[] }> {
  const earning = await service.call('claimablePositions', { wallet });
  const feed = await service.call('launchFeed', {}).catch(() => undefined);
  const managed = await service.call('adminTokens', { wallet }).catch(() => undefined);
  const found = new Map<string, CreatorToken>();
  const note = (tokenMint: unknown, more: Partial<CreatorToken>) => {
    if (typeof tokenMint === 'string')
      found.set(tokenMint, { ...(found.get(tokenMint) ?? { tokenMint }), ...more });
  };
  for (const item of earning.items) {
    const bps = Reflect.get(item, 'basisPoints');
    note(
      Reflect.get(item, 'tokenMint') ?? Reflect.get(item, 'baseMint'),
      typeof bps === 'number' ? { shareBps: bps } : {},
    );
  }
  for (const { tokenMint, accountKeys } of feed ?? []) {
    if (accountKeys?.[0] === wallet) note(tokenMint, { launched: true });
  }
  for (const tokenMint of managed?.tokenMints ?? []) note(tokenMint, { manages: true });
  return {
    tokens: [...found.values()],
    unread: [...(feed === undefined ? ['launched'] : []), ...(managed === undefined ? ['manages'] : [])],
  };
}
