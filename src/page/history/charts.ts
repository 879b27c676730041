/**
 * Charts as inline SVG: bars by day and steps over time. The SVG contains only shapes, stretched to the page's width;
 * labels are text beside it, and a table lists the same numbers for screen readers. Pure.
 */
import type { UsedFrom } from '../../presentation/history/overTime.ts';
import { type Html, html } from '../http/html.ts';

/** Width and height in drawing units, stretched to the page. */
const WIDTH = 1_000;
const HEIGHT = 100;
/** Fraction of a day's width that its bar takes. */
const BAR = 0.72;

/** One bar: received amounts above the line, sent amounts and fees below it. Base units. */
interface Bar {
  readonly up: bigint;
  readonly down: bigint;
  readonly fees: bigint;
  /** Tooltip. */
  readonly title: string;
}

interface Frame {
  /** Description of the chart in one sentence, for screen readers. */
  readonly label: string;
  /** Labels at the ends of the vertical axis. */
  readonly top: string;
  readonly bottom: string;
  /** Labels along the horizontal axis, evenly spaced. */
  readonly along: readonly string[];
  /** The same numbers as a table. */
  readonly table: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

/** Scales a part of a whole to drawing units, rounded to a millionth. */
const scaled = (part: bigint, whole: bigint, size: number): number =>
  whole === 0n ? 0 : Number((part * 1_000_000n) / whole) * (size / 1_000_000);

const round = (value: number): string => value.toFixed(2);

/** Draws bars around a zero line; both sides share one scale. */
export function barChart(bars: readonly Bar[], frame: Frame): Html {
  const up = most(bars.map((bar) => bar.up));
  const down = most(bars.map((bar) => bar.down + bar.fees));
  const whole = up + down;
  const zero = scaled(up, whole, HEIGHT);
  const step = WIDTH / Math.max(1, bars.length);
  const rect = (index: number, from: number, height: number, look: string): Html | false =>
    height > 0 &&
    html`<rect class="${look}" x="${round(index * step + (step * (1 - BAR)) / 2)}" width="${round(step * BAR)}" y="${round(from)}" height="${round(Math.max(height, 0.8))}"/>`;
  const drawn = bars.map((bar, index) => {
    const [rise, fall, fees] = [bar.up, bar.down, bar.fees].map((units) => scaled(units, whole, HEIGHT));
    return html`<g><title>${bar.title}</title><rect class="hit" x="${round(index * step)}" width="${round(step)}" y="0" height="${HEIGHT}"/>${rect(index, zero - (rise ?? 0), rise ?? 0, 'in')}${rect(index, zero, fall ?? 0, 'out')}${rect(index, zero + (fall ?? 0), fees ?? 0, 'fee')}</g>`;
  });
  return framed(
    frame,
    html`${drawn}<line class="zero" x1="0" x2="${WIDTH}" y1="${round(zero)}" y2="${round(zero)}"/>`,
  );
}

interface StepScale {
  /** Milliseconds since the epoch. */
  readonly begin: number;
  readonly end: number;
  /** The value at the top of the drawing, in base units. */
  readonly ceiling: bigint;
  /** The limit; its line is drawn if it is within the drawing. */
  readonly max: bigint;
}

/** Draws the steps of a limit's use from `begin` to `end`. */
export function stepChart(
  steps: readonly UsedFrom[],
  { begin, end, ceiling, max }: StepScale,
  frame: Frame,
): Html {
  const x = (at: number): string => round(((Math.max(begin, at) - begin) / Math.max(1, end - begin)) * WIDTH);
  const y = (units: bigint): string => round(HEIGHT - scaled(units, ceiling, HEIGHT - 1.5));
  const edge = steps
    .map(({ at, used }, index) => `L${x(at)} ${y(used)}L${x(steps[index + 1]?.at ?? end)} ${y(used)}`)
    .join('');
  return framed(
    frame,
    html`<path class="area" d="M0 ${HEIGHT}${edge}L${WIDTH} ${HEIGHT}Z"/><path class="edge" d="${edge.replace('L', 'M')}"/>${
      max <= ceiling && html`<line class="max" x1="0" x2="${WIDTH}" y1="${y(max)}" y2="${y(max)}"/>`
    }`,
  );
}

export const most = (all: readonly bigint[]): bigint =>
  all.reduce((high, each) => (each > high ? each : high), 0n);

function framed({ label, top, bottom, along, table }: Frame, drawing: Html): Html {
  return html`<figure class="chart"><div class="plot"><span class="axis" aria-hidden="true"><span>${top}</span><span>${bottom}</span></span>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${drawing}</svg>
<span class="along" aria-hidden="true">${along.map((words) => html`<span>${words}</span>`)}</span></div>
<details><summary>As a table</summary><div class="scroll"><table><thead><tr>${table.columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${table.rows.map(([first = '', ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div></details></figure>`;
}
