/**
 * Every call of the service's own client, in an order in which each finds what it needs: a partner, a token with a split, a
 * launch, trades that pay fees, claims, a changed split. A call that builds transactions lands them, and what was asked for is
 * looked up afterwards.
 */
import {
  createTipTransaction,
  JITO_TIP_ACCOUNTS,
  sendBundleAndConfirm,
  signAndSendTransaction,
  WRAPPED_SOL_MINT,
  waitForSlotsToPass,
} from '@bagsfm/bags-sdk';
import { Keypair, PublicKey } from '@solana/web3.js';
import { expect } from 'vitest';
import type { OfficialScene } from './scene.ts';

interface Call {
  /** As the page of clients names it. */
  readonly name: string;
  run(): Promise<void>;
}

const PROGRAM = new PublicKey('FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK');
/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const unset = (): PublicKey => {
  throw new Error('an earlier call did not work');
};

/** The calls of one scene. Each relies on those before it. */
export function callsOf({ sdk, connection, payer, land, lamports }: OfficialScene): readonly Call[] {
  const own = payer.publicKey;
  const [tip = unset()] = JITO_TIP_ACCOUNTS;
  const token = { name: 'Official', symbol: 'OFC', description: 'a test' };
  let mint = unset;
  let configKey = unset;
  let metadataUrl = '';
  let bundleId = '';
  const landAll = async (
    all: readonly { readonly transaction: Parameters<typeof land>[0] }[],
  ): Promise<void> => {
    for (const { transaction } of all) await land(transaction);
  };
  const held = async (of: PublicKey) => {
    const { value } = await connection.getParsedTokenAccountsByOwner(own, { mint: of });
    return BigInt(value[0]?.account.data.parsed.info.tokenAmount.amount ?? 0);
  };
  const tipTransaction = async (more: number) => {
    const transaction = await createTipTransaction(connection, 'confirmed', own, 1_000_000 + more);
    transaction.sign([payer]);
    return transaction;
  };
  const split = (first: number) => [
    { user: own, userBps: first },
    { user: other, userBps: 10_000 - first },
  ];
  const other = Keypair.generate().publicKey;
  const many = (count: number) =>
    Array.from({ length: count }, () => ({ user: Keypair.generate().publicKey, userBps: 10_000 / count }));
  const tableLands = async (
    made: Awaited<ReturnType<typeof sdk.config.getConfigCreationLookupTableTransactions>>,
  ) => {
    if (made === null) throw new Error('no table was made');
    // The slot it names must have passed.
    await waitForSlotsToPass(connection, 'confirmed', 2, 50);
    await land(made.creationTransaction);
    for (const each of made.extendTransactions) await land(each);
    const { value } = await connection.getAddressLookupTable(made.lutAddresses[0] ?? unset());
    return value?.state.addresses.length;
  };
  const swap = async (inputMint: PublicKey, outputMint: PublicKey, amount: number) => {
    const quoteResponse = await sdk.trade.getQuote({ inputMint, outputMint, amount });
    return sdk.trade.createSwapTransaction({ quoteResponse, userPublicKey: own });
  };
  const partnerConfig = () =>
    PublicKey.findProgramAddressSync([Buffer.from('partner_config'), own.toBuffer()], PROGRAM)[0];

  return [
    {
      name: 'auth.me',
      run: async () => expect(await sdk.auth.me()).toMatchObject({}),
    },
    {
      name: 'partner.getPartnerConfigCreationTransaction',
      run: async () => {
        const { transaction } = await sdk.partner.getPartnerConfigCreationTransaction(own);
        await land(transaction);
      },
    },
    {
      name: 'partner.getPartnerConfig',
      run: async () => {
        const { partner } = await sdk.partner.getPartnerConfig(own);
        expect(partner.toBase58()).toBe(own.toBase58());
      },
    },
    {
      name: 'tokenLaunch.createTokenInfoAndMetadata (image address)',
      run: async () => {
        const made = await sdk.tokenLaunch.createTokenInfoAndMetadata({
          ...token,
          imageUrl: 'https://example.com/a.png',
        });
        const tokenMint = new PublicKey(made.tokenMint);
        mint = () => tokenMint;
        metadataUrl = made.tokenMetadata;
      },
    },
    {
      name: 'tokenLaunch.createTokenInfoAndMetadata (image file)',
      run: async () => {
        const image = { value: PIXEL, options: { filename: 'a.png', contentType: 'image/png' } };
        const made = await sdk.tokenLaunch.createTokenInfoAndMetadata({ ...token, image });
        expect(made.tokenLaunch).toMatchObject({ name: 'Official', status: 'PRE_LAUNCH' });
      },
    },
    {
      name: 'tokenLaunch.createTokenInfoAndMetadata (metadata address)',
      run: async () => {
        const made = await sdk.tokenLaunch.createTokenInfoAndMetadata({
          ...token,
          imageUrl: 'https://example.com/a.png',
          metadataUrl: 'https://example.com/a.json',
        });
        expect(made.tokenMetadata).toBe('https://example.com/a.json');
      },
    },
    {
      name: 'config.createBagsFeeShareConfig',
      run: async () => {
        const made = await sdk.config.createBagsFeeShareConfig({
          feeClaimers: split(6000),
          payer: own,
          baseMint: mint(),
          admin: own,
          partner: own,
          partnerConfig: partnerConfig(),
        });
        for (const each of [...made.transactions, ...made.bundles.flat()]) await land(each);
        configKey = () => made.meteoraConfigKey;
      },
    },
    {
      name: 'config.getConfigCreationLookupTableTransactions',
      run: async () => {
        const made = await sdk.config.getConfigCreationLookupTableTransactions({
          feeClaimers: many(20),
          payer: own,
        });
        expect(await tableLands(made)).toBe(20);
      },
    },
    {
      name: 'tokenLaunch.createLaunchTransaction',
      run: async () => {
        const launch = await sdk.tokenLaunch.createLaunchTransaction({
          metadataUrl,
          tokenMint: mint(),
          launchWallet: own,
          initialBuyLamports: 100_000_000,
          configKey: configKey(),
        });
        await land(launch);
        expect(await held(mint())).toBeGreaterThan(0n);
      },
    },
    {
      name: 'createTipTransaction',
      run: async () => {
        const before = await lamports(tip);
        await land(await createTipTransaction(connection, 'confirmed', own, 5_000_000, { tipAccount: tip }));
        expect((await lamports(tip)) - before).toBe(5_000_000);
      },
    },
    {
      name: 'signAndSendTransaction',
      run: async () => {
        const transaction = await createTipTransaction(connection, 'confirmed', own, 6_000_000);
        const signature = await signAndSendTransaction(connection, 'confirmed', transaction, payer);
        const { value } = await connection.getSignatureStatus(signature);
        expect(value?.err).toBeNull();
      },
    },
    { name: 'waitForSlotsToPass', run: () => waitForSlotsToPass(connection, 'confirmed', 2, 50) },
    {
      name: 'trade.getQuote',
      run: async () => {
        const quote = await sdk.trade.getQuote({
          inputMint: WRAPPED_SOL_MINT,
          outputMint: mint(),
          amount: 5_000_000_000,
          slippageMode: 'manual',
          slippageBps: 300,
        });
        expect(quote).toMatchObject({ inAmount: '5000000000', slippageBps: 300 });
        expect(BigInt(quote.minOutAmount)).toBeGreaterThan(0n);
      },
    },
    {
      name: 'trade.createSwapTransaction',
      run: async () => {
        const before = await held(mint());
        await land((await swap(WRAPPED_SOL_MINT, mint(), 5_000_000_000)).transaction);
        expect(await held(mint())).toBeGreaterThan(before);
      },
    },
    {
      name: 'state.getTokenLifetimeFees',
      run: async () => expect(Number(await sdk.state.getTokenLifetimeFees(mint()))).toBeGreaterThan(0),
    },
    {
      name: 'state.getTokenCreators',
      run: async () => {
        const creators = await sdk.state.getTokenCreators(mint());
        expect(creators.find(({ wallet }) => wallet === own.toBase58())).toMatchObject({ royaltyBps: 6000 });
      },
    },
    {
      name: 'state.getTopTokensByLifetimeFees',
      run: async () => {
        const board = await sdk.state.getTopTokensByLifetimeFees();
        expect(board.map((each) => each.token)).toContain(mint().toBase58());
      },
    },
    {
      name: 'state.getLaunchWalletForTwitterUsername',
      run: async () => {
        const wallet = await sdk.state.getLaunchWalletForTwitterUsername('ada');
        expect(wallet.toBase58().length).toBeGreaterThan(30);
      },
    },
    {
      name: 'state.getLaunchWalletV2',
      run: async () => {
        const { wallet } = await sdk.state.getLaunchWalletV2('ada', 'twitter');
        const same = await sdk.state.getLaunchWalletForTwitterUsername('ada');
        expect(wallet.toBase58()).toBe(same.toBase58());
      },
    },
    {
      name: 'state.getLaunchWalletV2Bulk',
      run: async () => {
        const found = await sdk.state.getLaunchWalletV2Bulk([
          { username: 'ada', provider: 'twitter' },
          { username: 'bob', provider: 'github' },
        ]);
        expect(found.map(({ wallet }) => wallet === null)).toEqual([false, false]);
      },
    },
    {
      name: 'state.getPoolConfigKeysByFeeClaimerVaults',
      run: async () => {
        const [authority = unset()] = PublicKey.findProgramAddressSync(
          [Buffer.from('fee_share_authority'), mint().toBuffer(), WRAPPED_SOL_MINT.toBuffer()],
          PROGRAM,
        );
        const [key] = await sdk.state.getPoolConfigKeysByFeeClaimerVaults([authority]);
        expect(key?.toBase58()).toBe(configKey().toBase58());
      },
    },
    {
      name: 'fee.getAllClaimablePositions',
      run: async () => {
        const positions = await sdk.fee.getAllClaimablePositions(own);
        expect(positions.find(({ baseMint }) => baseMint === mint().toBase58())).toMatchObject({
          totalClaimableLamportsUserShare: expect.any(Number),
        });
      },
    },
    {
      name: 'fee.getClaimTransactions',
      run: async () => {
        for (const each of await sdk.fee.getClaimTransactions(own, mint())) await land(each);
        // Paid as wrapped SOL.
        expect(await held(WRAPPED_SOL_MINT)).toBeGreaterThan(0n);
      },
    },
    {
      name: 'state.getTokenClaimStats',
      run: async () => {
        const stats = await sdk.state.getTokenClaimStats(mint());
        const mine = stats.find(({ wallet }) => wallet === own.toBase58());
        expect(BigInt(mine?.totalClaimed ?? 0)).toBeGreaterThan(0n);
      },
    },
    {
      name: 'state.getTokenClaimEvents',
      run: async () => {
        const events = await sdk.state.getTokenClaimEvents(mint(), { limit: 10 });
        expect(events.map(({ wallet }) => wallet)).toContain(own.toBase58());
      },
    },
    {
      name: 'partner.getPartnerConfigClaimStats',
      run: async () => {
        const { unclaimedFees } = await sdk.partner.getPartnerConfigClaimStats(own);
        expect(BigInt(unclaimedFees)).toBeGreaterThan(0n);
      },
    },
    {
      name: 'partner.getPartnerConfigClaimTransactions',
      run: async () => {
        await landAll(await sdk.partner.getPartnerConfigClaimTransactions(own));
        const { claimedFees } = await sdk.partner.getPartnerConfigClaimStats(own);
        expect(BigInt(claimedFees)).toBeGreaterThan(0n);
      },
    },
    {
      name: 'solana.sendBundle',
      run: async () => {
        bundleId = await sdk.solana.sendBundle([await tipTransaction(1), await tipTransaction(2)]);
      },
    },
    {
      name: 'solana.getBundleStatuses',
      run: async () => {
        const statuses = await sdk.solana.getBundleStatuses([bundleId]);
        expect(statuses?.value.map(({ transactions }) => transactions.length)).toEqual([2]);
      },
    },
    {
      name: 'solana.getJitoRecentFees',
      run: async () =>
        expect((await sdk.solana.getJitoRecentFees()).landed_tips_95th_percentile).toBeGreaterThan(0),
    },
    {
      name: 'sendBundleAndConfirm',
      run: async () => {
        const before = await lamports(own);
        await sendBundleAndConfirm([await tipTransaction(3), await tipTransaction(4)], sdk);
        expect(before - (await lamports(own))).toBeGreaterThanOrEqual(2_000_007);
      },
    },
    {
      name: 'feeShareAdmin.getUpdateConfigTransactions',
      run: async () => {
        const params = { feeClaimers: split(7000), payer: own, baseMint: mint() };
        await landAll(await sdk.feeShareAdmin.getUpdateConfigTransactions(params));
        const creators = await sdk.state.getTokenCreators(mint());
        expect(creators.find(({ wallet }) => wallet === own.toBase58())).toMatchObject({ royaltyBps: 7000 });
      },
    },
    {
      name: 'feeShareAdmin.getUpdateConfigLookupTableTransactions',
      run: async () => {
        const made = await sdk.feeShareAdmin.getUpdateConfigLookupTableTransactions({
          feeClaimers: many(10),
          payer: own,
        });
        expect(await tableLands(made)).toBe(10);
      },
    },
    {
      name: 'feeShareAdmin.getAdminTokenMints',
      run: async () => expect(await sdk.feeShareAdmin.getAdminTokenMints(own)).toEqual([mint().toBase58()]),
    },
    {
      name: 'feeShareAdmin.getTransferAdminTransaction',
      run: async () => {
        const { transaction } = await sdk.feeShareAdmin.getTransferAdminTransaction({
          baseMint: mint(),
          currentAdmin: own,
          newAdmin: other,
          payer: own,
        });
        await land(transaction);
        expect(await sdk.feeShareAdmin.getAdminTokenMints(own)).toEqual([]);
      },
    },
    {
      name: 'incorporation.startIncorporation',
      run: async () =>
        expect(await sdk.incorporation.startIncorporation({ tokenAddress: mint() })).toMatchObject({
          incorporationStarted: true,
        }),
    },
    {
      name: 'incorporation.list',
      run: async () =>
        expect((await sdk.incorporation.list()).map((each) => each.tokenAddress)).toContain(
          mint().toBase58(),
        ),
    },
    {
      name: 'incorporation.getDetails',
      run: async () =>
        expect(await sdk.incorporation.getDetails({ tokenAddress: mint() })).toMatchObject({
          tokenAddress: mint().toBase58(),
        }),
    },
    {
      name: 'incorporation.startPayment',
      run: async () => {
        await land((await sdk.incorporation.startPayment({ payerWallet: own })).transaction);
      },
    },
    {
      name: 'incorporation.incorporate',
      run: async () => {
        const founder = {
          firstName: 'Ada',
          lastName: 'L',
          email: 'ada@example.com',
          nationalityCountry: 'GBR',
          taxResidencyCountry: 'GBR',
          residentialAddress: 'a street',
          shareBasisPoint: 8000,
        };
        await sdk.incorporation.incorporate({
          orderUUID: '00000000-0000-4000-8000-000000000000',
          paymentSignature: '1'.repeat(64),
          projectName: 'Official',
          tokenAddress: mint(),
          founders: [founder],
          category: 'AI',
          incorporationShareBasisPoint: 2000,
          preferredCompanyNames: ['One', 'Two', 'Three'],
        });
      },
    },
    {
      name: 'dexscreener.checkOrderAvailability',
      run: async () => {
        await sdk.dexscreener.checkOrderAvailability({ tokenAddress: mint() });
      },
    },
    {
      name: 'dexscreener.createOrder',
      run: async () => {
        const image = 'https://example.com/a.png';
        await sdk.dexscreener.createOrder({
          tokenAddress: mint(),
          description: 'a test',
          iconImageUrl: image,
          headerImageUrl: image,
          payerWallet: own,
        });
      },
    },
    {
      name: 'dexscreener.submitPayment',
      run: async () => {
        await sdk.dexscreener.submitPayment({
          orderUUID: '00000000-0000-4000-8000-000000000000',
          paymentSignature: '1'.repeat(64),
        });
      },
    },
  ];
}
