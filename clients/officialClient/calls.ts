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

const PROGRAM = new PublicKey('FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK');
/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const unset = (): PublicKey => {
  throw new Error('an earlier call did not work');
};

/** The calls of one scene, as the page of clients names them. Each relies on those before it. */
export function callsOf({
  sdk,
  connection,
  payer,
  land,
  lamports,
}: OfficialScene): Readonly<Record<string, () => Promise<void>>> {
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

  return {
    'auth.me': async () => expect(await sdk.auth.me()).toMatchObject({}),
    'partner.getPartnerConfigCreationTransaction': async () => {
      const { transaction } = await sdk.partner.getPartnerConfigCreationTransaction(own);
      await land(transaction);
    },
    'partner.getPartnerConfig': async () => {
      const { partner } = await sdk.partner.getPartnerConfig(own);
      expect(partner.toBase58()).toBe(own.toBase58());
    },
    'tokenLaunch.createTokenInfoAndMetadata (image address)': async () => {
      const made = await sdk.tokenLaunch.createTokenInfoAndMetadata({
        ...token,
        imageUrl: 'https://example.com/a.png',
      });
      const tokenMint = new PublicKey(made.tokenMint);
      mint = () => tokenMint;
      metadataUrl = made.tokenMetadata;
    },
    'tokenLaunch.createTokenInfoAndMetadata (image file)': async () => {
      const image = { value: PIXEL, options: { filename: 'a.png', contentType: 'image/png' } };
      const made = await sdk.tokenLaunch.createTokenInfoAndMetadata({ ...token, image });
      expect(made.tokenLaunch).toMatchObject({ name: 'Official', status: 'PRE_LAUNCH' });
    },
    'tokenLaunch.createTokenInfoAndMetadata (metadata address)': async () => {
      const made = await sdk.tokenLaunch.createTokenInfoAndMetadata({
        ...token,
        imageUrl: 'https://example.com/a.png',
        metadataUrl: 'https://example.com/a.json',
      });
      expect(made.tokenMetadata).toBe('https://example.com/a.json');
    },
    'config.createBagsFeeShareConfig': async () => {
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
    'config.getConfigCreationLookupTableTransactions': async () => {
      const made = await sdk.config.getConfigCreationLookupTableTransactions({
        feeClaimers: many(20),
        payer: own,
      });
      expect(await tableLands(made)).toBe(20);
    },
    'tokenLaunch.createLaunchTransaction': async () => {
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
    createTipTransaction: async () => {
      const before = await lamports(tip);
      await land(await createTipTransaction(connection, 'confirmed', own, 5_000_000, { tipAccount: tip }));
      expect((await lamports(tip)) - before).toBe(5_000_000);
    },
    signAndSendTransaction: async () => {
      const transaction = await createTipTransaction(connection, 'confirmed', own, 6_000_000);
      const signature = await signAndSendTransaction(connection, 'confirmed', transaction, payer);
      const { value } = await connection.getSignatureStatus(signature);
      expect(value?.err).toBeNull();
    },
    waitForSlotsToPass: () => waitForSlotsToPass(connection, 'confirmed', 2, 50),
    'trade.getQuote': async () => {
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
    'trade.createSwapTransaction': async () => {
      const before = await held(mint());
      await land((await swap(WRAPPED_SOL_MINT, mint(), 5_000_000_000)).transaction);
      expect(await held(mint())).toBeGreaterThan(before);
    },
    'state.getTokenLifetimeFees': async () =>
      expect(Number(await sdk.state.getTokenLifetimeFees(mint()))).toBeGreaterThan(0),
    'state.getTokenCreators': async () => {
      const creators = await sdk.state.getTokenCreators(mint());
      expect(creators.find(({ wallet }) => wallet === own.toBase58())).toMatchObject({ royaltyBps: 6000 });
    },
    'state.getTopTokensByLifetimeFees': async () => {
      const board = await sdk.state.getTopTokensByLifetimeFees();
      expect(board.map((each) => each.token)).toContain(mint().toBase58());
    },
    'state.getLaunchWalletForTwitterUsername': async () => {
      const wallet = await sdk.state.getLaunchWalletForTwitterUsername('ada');
      expect(wallet.toBase58().length).toBeGreaterThan(30);
    },
    'state.getLaunchWalletV2': async () => {
      const { wallet } = await sdk.state.getLaunchWalletV2('ada', 'twitter');
      const same = await sdk.state.getLaunchWalletForTwitterUsername('ada');
      expect(wallet.toBase58()).toBe(same.toBase58());
    },
    'state.getLaunchWalletV2Bulk': async () => {
      const found = await sdk.state.getLaunchWalletV2Bulk([
        { username: 'ada', provider: 'twitter' },
        { username: 'bob', provider: 'github' },
      ]);
      expect(found.map(({ wallet }) => wallet === null)).toEqual([false, false]);
    },
    'state.getPoolConfigKeysByFeeClaimerVaults': async () => {
      const [authority = unset()] = PublicKey.findProgramAddressSync(
        [Buffer.from('fee_share_authority'), mint().toBuffer(), WRAPPED_SOL_MINT.toBuffer()],
        PROGRAM,
      );
      const [key] = await sdk.state.getPoolConfigKeysByFeeClaimerVaults([authority]);
      expect(key?.toBase58()).toBe(configKey().toBase58());
    },
    'fee.getAllClaimablePositions': async () => {
      const positions = await sdk.fee.getAllClaimablePositions(own);
      expect(positions.find(({ baseMint }) => baseMint === mint().toBase58())).toMatchObject({
        totalClaimableLamportsUserShare: expect.any(Number),
      });
    },
    'fee.getClaimTransactions': async () => {
      for (const each of await sdk.fee.getClaimTransactions(own, mint())) await land(each);
      // Paid as wrapped SOL.
      expect(await held(WRAPPED_SOL_MINT)).toBeGreaterThan(0n);
    },
    'state.getTokenClaimStats': async () => {
      const stats = await sdk.state.getTokenClaimStats(mint());
      const mine = stats.find(({ wallet }) => wallet === own.toBase58());
      expect(BigInt(mine?.totalClaimed ?? 0)).toBeGreaterThan(0n);
    },
    'state.getTokenClaimEvents': async () => {
      const events = await sdk.state.getTokenClaimEvents(mint(), { limit: 10 });
      expect(events.map(({ wallet }) => wallet)).toContain(own.toBase58());
    },
    'partner.getPartnerConfigClaimStats': async () => {
      const { unclaimedFees } = await sdk.partner.getPartnerConfigClaimStats(own);
      expect(BigInt(unclaimedFees)).toBeGreaterThan(0n);
    },
    'partner.getPartnerConfigClaimTransactions': async () => {
      await landAll(await sdk.partner.getPartnerConfigClaimTransactions(own));
      const { claimedFees } = await sdk.partner.getPartnerConfigClaimStats(own);
      expect(BigInt(claimedFees)).toBeGreaterThan(0n);
    },
    'solana.sendBundle': async () => {
      bundleId = await sdk.solana.sendBundle([await tipTransaction(1), await tipTransaction(2)]);
    },
    'solana.getBundleStatuses': async () => {
      const statuses = await sdk.solana.getBundleStatuses([bundleId]);
      expect(statuses?.value.map(({ transactions }) => transactions.length)).toEqual([2]);
    },
    'solana.getJitoRecentFees': async () =>
      expect((await sdk.solana.getJitoRecentFees()).landed_tips_95th_percentile).toBeGreaterThan(0),
    sendBundleAndConfirm: async () => {
      const before = await lamports(own);
      await sendBundleAndConfirm([await tipTransaction(3), await tipTransaction(4)], sdk);
      expect(before - (await lamports(own))).toBeGreaterThanOrEqual(2_000_007);
    },
    'feeShareAdmin.getUpdateConfigTransactions': async () => {
      const params = { feeClaimers: split(7000), payer: own, baseMint: mint() };
      await landAll(await sdk.feeShareAdmin.getUpdateConfigTransactions(params));
      const creators = await sdk.state.getTokenCreators(mint());
      expect(creators.find(({ wallet }) => wallet === own.toBase58())).toMatchObject({ royaltyBps: 7000 });
    },
    'feeShareAdmin.getUpdateConfigLookupTableTransactions': async () => {
      const made = await sdk.feeShareAdmin.getUpdateConfigLookupTableTransactions({
        feeClaimers: many(10),
        payer: own,
      });
      expect(await tableLands(made)).toBe(10);
    },
    'feeShareAdmin.getAdminTokenMints': async () =>
      expect(await sdk.feeShareAdmin.getAdminTokenMints(own)).toEqual([mint().toBase58()]),
    'feeShareAdmin.getTransferAdminTransaction': async () => {
      const { transaction } = await sdk.feeShareAdmin.getTransferAdminTransaction({
        baseMint: mint(),
        currentAdmin: own,
        newAdmin: other,
        payer: own,
      });
      await land(transaction);
      expect(await sdk.feeShareAdmin.getAdminTokenMints(own)).toEqual([]);
    },
    'incorporation.startIncorporation': async () =>
      expect(await sdk.incorporation.startIncorporation({ tokenAddress: mint() })).toMatchObject({
        incorporationStarted: true,
      }),
    'incorporation.list': async () =>
      expect((await sdk.incorporation.list()).map((each) => each.tokenAddress)).toContain(mint().toBase58()),
    'incorporation.getDetails': async () =>
      expect(await sdk.incorporation.getDetails({ tokenAddress: mint() })).toMatchObject({
        tokenAddress: mint().toBase58(),
      }),
    'incorporation.startPayment': async () => {
      await land((await sdk.incorporation.startPayment({ payerWallet: own })).transaction);
    },
    'incorporation.incorporate': async () => {
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
    'dexscreener.checkOrderAvailability': async () => {
      await sdk.dexscreener.checkOrderAvailability({ tokenAddress: mint() });
    },
    'dexscreener.createOrder': async () => {
      const image = 'https://example.com/a.png';
      await sdk.dexscreener.createOrder({
        tokenAddress: mint(),
        description: 'a test',
        iconImageUrl: image,
        headerImageUrl: image,
        payerWallet: own,
      });
    },
    'dexscreener.submitPayment': async () => {
      await sdk.dexscreener.submitPayment({
        orderUUID: '00000000-0000-4000-8000-000000000000',
        paymentSignature: '1'.repeat(64),
      });
    },
  };
}
