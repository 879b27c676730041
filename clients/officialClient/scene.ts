/** The service's own client, unmodified, against `countersign sandbox --profile bags`, and a wallet with money. */
import { BagsSDK } from '@bagsfm/bags-sdk';
import { Connection, Keypair, type PublicKey, type Transaction, VersionedTransaction } from '@solana/web3.js';
import { startSandbox } from '../../test/e2e/harness.ts';

export interface OfficialScene {
  readonly sdk: BagsSDK;
  readonly connection: Connection;
  readonly payer: Keypair;
  /** Signs with the wallet and lands; fails when it does not land. Its signature. */
  land(transaction: VersionedTransaction | Transaction): Promise<string>;
  /** Lamports of an account. */
  lamports(of: PublicKey): Promise<number>;
  stop(): void;
}

/** The address of the service is a constant of the package and no option of it: each of its clients is told another one. */
function pointAt(sdk: BagsSDK, rootUrl: string): void {
  const clients = [sdk, ...Object.values(sdk)].map((each) => Reflect.get(Object(each), 'bagsApiClient'));
  for (const client of new Set(clients)) {
    if (client !== undefined) client.client.defaults.baseURL = `${rootUrl}/api/v1`;
  }
}

export async function officialScene(): Promise<OfficialScene> {
  const sandbox = await startSandbox(['--profile', 'bags', '--set', 'slot-ms=100']);
  const connection = new Connection(sandbox.rpcUrl, 'confirmed');
  const payer = Keypair.generate();
  await sandbox.rpc('requestAirdrop', [payer.publicKey.toBase58(), 100_000_000_000]);
  const sdk = new BagsSDK(sandbox.apiKey, connection, 'confirmed');
  pointAt(sdk, sandbox.rootUrl);
  const land = async (transaction: VersionedTransaction | Transaction) => {
    if (transaction instanceof VersionedTransaction) transaction.sign([payer]);
    else transaction.partialSign(payer);
    const latest = await connection.getLatestBlockhash();
    const signature = await connection.sendRawTransaction(transaction.serialize(), { maxRetries: 0 });
    const { value } = await connection.confirmTransaction({ signature, ...latest });
    if (value.err !== null) throw new Error(`${signature} failed: ${JSON.stringify(value.err)}`);
    return signature;
  };
  return {
    sdk,
    connection,
    payer,
    land,
    lamports: async (of) => (await connection.getBalance(of)) ?? 0,
    stop: () => sandbox.stop(),
  };
}
