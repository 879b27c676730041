/**
 * The seven question kinds in the built product: `countersign serve --sandbox` with a policy that requires approval for
 * everything, an MCP agent, and the server's page in a browser.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { eventually, HANGS_MS } from '../eventually.ts';
import { keyNamed } from '../policy/people.ts';
import { type Fields, McpProcess, object, objects, someAddress, text } from './harness.ts';
import { runHere } from './inProcess.ts';

const SOL = 'So11111111111111111111111111111111111111112';
export const TREASURY = keyNamed('treasury').address;
export const STRANGER = keyNamed('stranger').address;

/** Open approval request. */
export interface OpenQuestion {
  readonly planId: string;
  readonly approvalId: string;
}

/** Sandbox server whose policy requires approval for everything. */
export class Product {
  readonly home: string;
  readonly server: McpProcess;
  readonly wallet: string;

  private constructor(home: string, server: McpProcess, wallet: string) {
    this.home = home;
    this.server = server;
    this.wallet = wallet;
  }

  static async start(): Promise<Product> {
    const home = mkdtempSync(join(tmpdir(), 'countersign-questions-'));
    const path = join(home, 'policy.json');
    const file = policyTemplate('sandbox', { wallet: someAddress(), network: someAddress() });
    const policy: PolicyFile = {
      ...file,
      addressBook: [{ label: 'treasury', address: TREASURY }],
      rules: file.rules.map(asking),
      approval: { ttlSeconds: 600, channels: ['page', 'command'] },
    };
    writeFileSync(path, JSON.stringify(policy));
    chmodSync(path, 0o600);
    const server = new McpProcess(
      ['--sandbox', '--policy', path, '--toolsets', 'default'],
      environment(home),
    );
    await server.initialize();
    const { address } = await server.ok('get_wallet');
    return new Product(home, server, text(address));
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Runs a command in the same home. */
  command = (...args: string[]) => runHere(args, environment(this.home));

  /** Returns the approval request of a plan. */
  private async asked(built: Fields): Promise<OpenQuestion> {
    const planId = text(object(built.plan).planId);
    const { plan } = await this.server.ok('submit_plan', { planId, waitSeconds: 30 });
    expect(object(plan).status).toBe('approval_required');
    const { out } = await this.command('pending', '--json');
    const waiting = objects(object(JSON.parse(out)).pending);
    const approvalId = text(waiting.find((view) => view.planId === planId)?.id);
    return { planId, approvalId };
  }

  /** Waits until a plan that was approved is complete. */
  async landed({ planId }: OpenQuestion): Promise<void> {
    const { plan } = await this.server.ok('submit_plan', { planId, waitSeconds: 60 });
    expect(object(plan).status).toBe('complete');
  }

  /** Waits until every stage of a plan is final: a launched token counts as held only then. */
  async final({ planId }: OpenQuestion): Promise<void> {
    await eventually(async () => {
      const { plan } = await this.server.ok('get_plan', { planId });
      for (const { status } of objects(object(plan).stages)) expect(status).toBe('finalized');
    });
  }

  /** Registers a token. */
  async token(name: string, symbol: string): Promise<{ mint: string; uri: string }> {
    const info = await this.server.ok('create_token_info', {
      ...{ name, symbol, description: 'a token of the pictures', imageUrl: 'https://example.com/t.png' },
    });
    return { mint: text(info.tokenMint), uri: text(info.tokenMetadata) };
  }

  async config(
    mint: string,
    claimers: readonly (readonly [string, number])[],
    more: Fields = {},
  ): Promise<OpenQuestion> {
    return this.asked(
      await this.server.ok('create_fee_share_config', {
        ...{ baseMint: mint, payer: this.wallet, flow: 'damm_v2_direct', ...more },
        claimersArray: claimers.map(([wallet]) => wallet),
        basisPointsArray: claimers.map(([, bps]) => bps),
      }),
    );
  }

  async split(mint: string, claimers: readonly (readonly [string, number])[]): Promise<OpenQuestion> {
    return this.asked(
      await this.server.ok('update_fee_share_config', {
        ...{ baseMint: mint, payer: this.wallet },
        claimersArray: claimers.map(([wallet]) => wallet),
        basisPointsArray: claimers.map(([, bps]) => bps),
      }),
    );
  }

  async launch({ mint, uri }: { mint: string; uri: string }, config: string): Promise<OpenQuestion> {
    return this.asked(
      await this.server.ok('create_fee_share_damm_launch', {
        ...{ tokenMint: mint, wallet: this.wallet, feeShareConfig: config, quoteMint: SOL },
        ...{ ipfs: uri, initialBuyQuoteRaw: '500000000' },
      }),
    );
  }

  async swap(outputMint: string, amount: string): Promise<OpenQuestion> {
    const quote = await this.server.ok('get_swap_quote', { inputMint: SOL, outputMint, amount });
    return this.asked(await this.server.ok('create_swap', { requestId: text(quote.requestId) }));
  }

  /** Returns a sandbox token never bought by this home. */
  async neverBought(): Promise<string> {
    const { launches } = await this.server.ok('get_launch_feed');
    return text(objects(launches).at(-1)?.tokenMint);
  }

  async send(to: string, amountRaw: string, memo: string): Promise<OpenQuestion> {
    return this.asked(await this.server.ok('send', { to, amountRaw, memo }));
  }

  async claim(tokenMint: string): Promise<OpenQuestion> {
    return this.asked(await this.server.ok('create_fee_claims', { tokenMint, source: { kind: 'position' } }));
  }

  /** Builds a launch whose positions are held by an unsupported program. */
  async unsupported({ mint, uri }: { mint: string; uri: string }): Promise<OpenQuestion> {
    return this.asked(
      await this.server.ok('create_damm_launch', {
        ...{ tokenMint: mint, tokenMetadata: uri, wallet: this.wallet, quoteMint: SOL },
        initialBuyQuoteAmount: '100000000',
      }),
    );
  }

  /** Opens a browser window through the launch file. */
  async enter(browser: Browser, look: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ colorScheme: 'light', ...look });
    context.setDefaultTimeout(HANGS_MS);
    const page = await context.newPage();
    const launchFile = join(this.home, 'approve.html');
    expect(existsSync(launchFile)).toBe(true);
    await page.goto(`file://${launchFile}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
}

const environment = (home: string): Record<string, string> => ({
  COUNTERSIGN_HOME: home,
  COUNTERSIGN_NO_BROWSER: '1',
});

/** Returns the rule with approval required; the first purchase of a token is unusual. */
function asking(rule: PolicyFile['rules'][number]): PolicyFile['rules'][number] {
  if (rule.effect !== 'allow') return rule;
  const { unsupported: _none, ...rest } = { unsupported: undefined, ...rule };
  const first = rest.operation === 'swap' ? { firstPurchase: 'ask' as const } : {};
  return { ...rest, ...first, effect: 'require_approval' };
}
