/**
 * Countersign inside a program of your own: its signer, its policy, and its own way to ask a person. It runs as it is,
 * against a throw-away sandbox that it starts beside itself:
 *
 *     npm run build && node examples/own-program.mjs
 *
 * For real money, the addresses are those of the service and of an RPC of yours, and the signer is whatever holds your
 * key: a hardware wallet, a key service.
 */
import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { createCountersign, policyTemplate } from 'countersign';

const say = (text) => process.stdout.write(`${text}\n`);

// A service and a chain. The command prints their addresses as one line of JSON.
const command = fileURLToPath(new URL('countersign.js', import.meta.resolve('countersign')));
const sandbox = spawn(process.execPath, [command, 'sandbox', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(createInterface(sandbox.stdout), 'line');
const { rootUrl, rpcUrl, apiKey } = JSON.parse(line);

const rpc = async (method, params = []) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  return (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()).result;
};

// Your signer: an address and a signing function. It is called last, after every check.
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const signer = {
  address: base58(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)),
  sign: (message) => new Uint8Array(sign(null, message, privateKey)),
};
await rpc('requestAirdrop', [signer.address, 5_000_000_000]);

// Your policy: a template in which fee splits require an approval.
const template = policyTemplate('sandbox', { wallet: signer.address, network: await rpc('getGenesisHash') });
const policy = {
  ...template,
  rules: template.rules.map((rule) =>
    rule.operation === 'config' ? { ...rule, effect: 'require_approval' } : rule,
  ),
  approval: { ttlSeconds: 600, channels: ['elicitation'] },
};

// Your way to ask. Never let a model answer.
const person = createInterface({ input: process.stdin });
const answers = person[Symbol.asyncIterator]();
const approve = async ({ lines }) => {
  say(`\nA question:\n  ${lines.join('\n  ')}\nYes? (y/n)`);
  const { value } = await answers.next();
  return value === 'y' ? 'approve' : 'deny';
};

// Journal, limits and decisions are stored in a home folder; a real program uses a permanent one.
const home = await mkdtemp(join(tmpdir(), 'countersign-example-'));
const service = { rootUrl, rpcUrl, apiKey };
const countersign = createCountersign({ mode: 'live', ...service, signer, policy, approve, home });
const call = async (name, args) => {
  const { isError, structuredContent } = await countersign.callTool(name, args);
  if (isError) throw new Error(`${structuredContent.message} ${structuredContent.hint}`);
  return structuredContent;
};

try {
  const token = await call('create_token_info', {
    name: 'Lighthouse',
    symbol: 'LITE',
    description: 'Made by an example.',
    imageUrl: 'https://example.com/a.png',
  });
  const { plan } = await call('create_fee_share_config', {
    baseMint: token.tokenMint,
    flow: 'damm_v2_direct',
    claimersArray: [signer.address],
    basisPointsArray: [10_000],
  });
  say(`plan ${plan.planId}: ${plan.status}`);
  const done = await call('submit_plan', { planId: plan.planId });
  say(`plan ${plan.planId}: ${done.plan.status}`);
} finally {
  await countersign.close();
  person.close();
  sandbox.kill();
  await rm(home, { recursive: true });
}

/** Encodes a public key in base58. */
function base58(bytes) {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = alphabet[Number(rest % 58n)] + text;
  return '1'.repeat([...bytes].findIndex((byte) => byte !== 0)) + text;
}
