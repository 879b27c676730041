/** Accounts that exist once an intent is fulfilled, with the data of the service's programs. */
import { requestedClaimers, requestedManager } from '../../src/policy/decide/operations/request.ts';
import type { AccountLayout } from '../../src/programs/account.ts';
import { pool, position } from '../../src/programs/dammV2/accounts.ts';
import { feeShareConfig } from '../../src/programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { metadata } from '../../src/programs/tokenMetadata/accounts.ts';
import { metadataAddress } from '../../src/programs/tokenMetadata/addresses.ts';
import { Reader, Writer } from '../../src/transaction/bytes.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Intent } from './modelService.ts';
import { someAddress } from './transactions.ts';

/** Model account: exists once all of its effects have landed, with its data. */
export interface ModelAccount {
  readonly effects: readonly string[];
  readonly owner: string;
  /** Base64. */
  readonly data: string;
}

const [MINT_BYTES, INITIALIZED_AT] = [82, 45];
const [CONFIG_BYTES, CLAIMER_BYTES, POOL_BYTES, POSITION_BYTES, METADATA_BYTES] = [184, 34, 1112, 408, 607];

/** Returns the bytes of an account type, zero except for some fields. */
function zeroesBut<F extends object>(
  layout: AccountLayout<string, F>,
  length: number,
  fields: Partial<F>,
): Omit<ModelAccount, 'effects'> {
  const { discriminator, codec, program } = layout;
  const writer = new Writer();
  codec.write(writer, {
    ...codec.read(new Reader(new Uint8Array(length - discriminator.length))),
    ...fields,
  });
  const data = Buffer.alloc(length);
  data.set(discriminator);
  data.set(writer.finish(), discriminator.length);
  return { owner: program, data: data.toString('base64') };
}

/** Returns an intent's accounts, as used by the read-back. */
export function accountsOf(intent: Intent, wallet: string): [string, ModelAccount][] {
  const { fields, acts, kind, id } = intent;
  if (fields.flow !== undefined) {
    const baseMint = String(fields.baseMint);
    const effects = acts.map(({ effect }) => effect);
    const claimers = requestedClaimers(fields);
    const config = zeroesBut(feeShareConfig, CONFIG_BYTES + CLAIMER_BYTES * claimers.length, {
      baseMint,
      quoteMint: WSOL_MINT,
      manager: requestedManager(fields, wallet),
      isInitFinalized: 1,
      claimers,
    });
    return [[feeShareConfigAddress(baseMint), { effects, ...config }]];
  }
  if (kind !== 'bundle') return [];
  const [mint, quote, at] = [String(fields.tokenMint), String(fields.quoteMint), someAddress(`pool ${id}`)];
  const made = (act: string, address: string, account: Omit<ModelAccount, 'effects'>) =>
    [address, { effects: [`${id} ${act}`], ...account }] satisfies [string, ModelAccount];
  const token = Buffer.alloc(MINT_BYTES);
  token[INITIALIZED_AT] = 1;
  return [
    made('CREATE_TOKEN', mint, { owner: TOKEN_PROGRAM, data: token.toString('base64') }),
    made(
      'CREATE_TOKEN',
      metadataAddress(mint),
      zeroesBut(metadata, METADATA_BYTES, { mint, uri: String(fields.ipfs) }),
    ),
    made('LAUNCH', at, zeroesBut(pool, POOL_BYTES, { tokenAMint: mint, tokenBMint: quote })),
    ...['treasury', 'claimer'].map((label) =>
      made('LAUNCH', someAddress(`${label} ${id}`), zeroesBut(position, POSITION_BYTES, { pool: at })),
    ),
  ];
}
