/** Draws the picture of the README, `docs/images/two-wallets.svg`, from a run of the demo: `npm run picture`. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { decimal, SOL_DECIMALS } from '../src/base/format.ts';

const out = execFileSync(process.execPath, ['dist/countersign.js', 'demo', '--json'], { encoding: 'utf8' });
const run = JSON.parse(out.slice(0, out.indexOf('\n')));
if (run.step !== 'two-wallets' || run.ok !== true) throw new Error(`the demo did not hold: ${out}`);

const [WIDTH, BAR, LEFT] = [880, 330, 40];
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const sol = (lamports: string) => `${decimal(BigInt(lamports), SOL_DECIMALS)} SOL`;
const words = (x: number, y: number, text: string, more = '') =>
  `<text x="${x}" y="${y}" ${more}>${escaped(text)}</text>`;

/** A wallet in the picture: name, balance before, remaining share, and action. */
function wallet(
  x: number,
  name: string,
  before: string,
  after: string,
  did: string,
  colour: string,
): string[] {
  const left = Math.round((Number(after) / Number(before)) * BAR);
  return [
    words(x, 100, name, 'class="name"'),
    words(x, 126, `before  ${sol(before)}`),
    `<rect x="${x}" y="136" width="${BAR}" height="18" rx="4" fill="#8884"/>`,
    `<rect x="${x}" y="136" width="${BAR}" height="18" rx="4" fill="${colour}"/>`,
    words(x, 184, `after   ${sol(after)}`),
    `<rect x="${x}" y="194" width="${BAR}" height="18" rx="4" fill="#8884"/>`,
    `<rect x="${x}" y="194" width="${left}" height="18" rx="4" fill="${colour}"/>`,
    words(x, 240, did),
  ];
}

const svg = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} 320" role="img" aria-label="The same request and the same bad answer: a blind signer loses its SOL, Countersign signs nothing.">`,
  '<style>text{font:15px ui-monospace,Menlo,Consolas,monospace;fill:#24292f;white-space:pre}.name{font-weight:bold;font-size:18px}@media (prefers-color-scheme:dark){text{fill:#e6edf3}}</style>',
  words(LEFT, 34, 'request  swap 0.05 SOL for a token'),
  words(LEFT, 58, 'answer   the swap, followed by a transfer of 1 SOL to a stranger'),
  ...wallet(
    LEFT,
    'A blind signer',
    run.blindLamportsBefore,
    run.blindLamportsAfter,
    'It signed unchecked.',
    '#cf222e',
  ),
  ...wallet(
    LEFT + BAR + 100,
    'Countersign',
    run.lamportsBefore,
    run.lamportsAfter,
    'Nothing was signed.',
    '#1a7f37',
  ),
  words(LEFT, 292, String(run.explain), 'style="font-size:14px"'),
  '</svg>',
];
writeFileSync('docs/images/two-wallets.svg', `${svg.join('\n')}\n`);
