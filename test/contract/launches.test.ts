import { describe, expect, it } from 'vitest';
import { creatorDisplayName } from '../../src/contract/index.ts';
import { isLocalHost, linkProblem } from '../../src/contract/text.ts';
import { problems, validRequests, WALLET } from './validRequests.ts';

const launch = (change: Record<string, unknown>) =>
  problems('dammLaunch', { ...validRequests.dammLaunch, ...change });
const info = (change: Record<string, unknown>) =>
  problems('createTokenInfo', { ...validRequests.createTokenInfo, ...change });

describe('C-FIELD-08 the metadata URI', () => {
  it('B34 C-FIELD-07 C-BUNDLE-01 counts code points: 200 pass, 201 do not', () => {
    const of = (length: number, letter: string) => `ipfs://${letter.repeat(length - 7)}`;
    expect(launch({ ipfs: of(200, 'a') })).toEqual([]);
    expect(launch({ ipfs: `ipfs://a${'😀'.repeat(192)}` })).toEqual([]);
    expect(launch({ ipfs: of(201, 'a') })).toEqual([
      'ipfs: must have at most 200 characters (Unicode code points)',
    ]);
  });

  it.each(['ipfs://a\nb', 'ipfs://a\u0000', 'ipfs://a\u202eb', 'ipfs://a b', 'https://e.com\\@x'])(
    'B34 refuses spaces and control characters: %j',
    (ipfs) => {
      expect(launch({ ipfs })).toEqual([expect.stringMatching(/^ipfs: must not contain spaces/)]);
    },
  );

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/plain,x',
    'http://example.com/x',
    'https://localhost/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/x',
    'https://[fd00::1]/x',
    'https://printer.local/x',
    'https://user:pass@example.com/x',
    'https://',
    'ipfs://',
    'ipfs://user@host/x',
    'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
    '',
  ])('B35 refuses %s', (ipfs) => {
    expect(launch({ ipfs })).toEqual([expect.stringMatching(/^ipfs: must /)]);
  });

  it.each([
    'https://example.com/m.json',
    'ipfs://bafy/metadata.json',
    'ar://abc123',
    'HTTPS://EXAMPLE.com/a?b=c#d',
  ])('B35 accepts %s', (ipfs) => {
    expect(launch({ ipfs })).toEqual([]);
  });

  it('distinguishes private from public hosts', () => {
    for (const host of [
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      'LOCALHOST',
      'a.localhost',
      '0.0.0.0',
      '[fe80::1]',
    ]) {
      expect([host, isLocalHost(host)]).toEqual([host, true]);
    }
    for (const host of ['172.32.0.1', '8.8.8.8', 'example.com', '100.128.0.1', '[2606:4700::1]']) {
      expect([host, isLocalHost(host)]).toEqual([host, false]);
    }
    expect(linkProblem('https://example.com')).toBeUndefined();
  });
});

describe('C-BUNDLE-04 launch requests', () => {
  it.each([-1, 0.1, 2 ** 53, '5'])('B36 refuses a first buy of %s', (initialBuyQuoteAmount) => {
    expect(launch({ initialBuyQuoteAmount })).toEqual([
      expect.stringMatching(/^initialBuyQuoteAmount: must be/),
    ]);
  });

  it('C-CURVE-01 requires the first buy of a curve launch, in lamports', () => {
    const { initialBuyLamports: _, ...rest } = validRequests.curveLaunch;
    expect(problems('curveLaunch', rest)).toEqual([expect.stringMatching(/^initialBuyLamports: /)]);
  });

  it("C-CREATOR-03 prefers the platform's name to the internal one", () => {
    expect(creatorDisplayName({ wallet: WALLET, username: 'internal', providerUsername: 'octocat' })).toBe(
      'octocat',
    );
    expect(creatorDisplayName({ wallet: WALLET, username: 'internal', providerUsername: null })).toBe(
      'internal',
    );
    expect(creatorDisplayName({ wallet: WALLET, username: '' })).toBeUndefined();
  });
});

describe('C-INFO-01 launch records', () => {
  it.each([
    ['name', 33],
    ['symbol', 11],
    ['description', 1001],
  ])('refuses a %s of %d characters and an empty one', (field, length) => {
    expect(info({ [field]: 'x'.repeat(length) })).toEqual([
      `${field}: must have 1 to ${length - 1} characters (Unicode code points)`,
    ]);
    expect(info({ [field]: '' })).toHaveLength(1);
    expect(info({ [field]: 'x'.repeat(length - 1) })).toEqual([]);
  });

  it('allows line breaks in the description only', () => {
    expect(info({ description: 'one\ntwo' })).toEqual([]);
    expect(info({ name: 'one\ntwo' })).toHaveLength(1);
    expect(info({ description: 'one\u{e0041}two' })).toHaveLength(1);
  });

  it('C-INFO-03 requires one picture or prepared metadata', () => {
    const image = { bytes: new Uint8Array([1, 2, 3]), type: 'image/png', name: 'i.png' };
    expect(info({ imageUrl: undefined })).toEqual(['imageUrl: give an image, an imageUrl or a metadataUrl']);
    expect(info({ imageUrl: null, metadataUrl: 'https://example.com/m.json' })).toEqual([]);
    expect(info({ imageUrl: null, image })).toEqual([]);
    expect(info({ image })).toEqual(['imageUrl: give either image or imageUrl, not both']);
  });

  it('refuses an image of 15 MB, an empty one, and a non-image type', () => {
    const file = (bytes: Uint8Array, type = 'image/png') =>
      info({ imageUrl: null, image: { bytes, type, name: 'i' } });
    expect(file(new Uint8Array(15 * 1024 * 1024))).toEqual(['image.bytes: must be smaller than 15 MB']);
    expect(file(new Uint8Array(0))).toHaveLength(1);
    expect(file(new Uint8Array([1]), 'text/html')).toHaveLength(1);
  });
});
