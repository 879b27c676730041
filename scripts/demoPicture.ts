/** The picture of the README: some steps of the demo's transcript, drawn as a terminal shows them. */

/** The steps that are shown, by number, and how many of their lines. */
const SHOWN: readonly (readonly [number, number])[] = [
  [3, 7],
  [6, 6],
  [12, 5],
];
const WIDTH = 940;
const LINE = 20;
const MARGIN = 24;

const escaped = (text: string): string =>
  text
    .replace(/ {2,}/g, (gap) => '\u00a0'.repeat(gap.length))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** The lines of each step of a transcript, by its number; the last line of the transcript under 0. */
function stepsOf(transcript: string): Map<number, string[]> {
  const steps = new Map<number, string[]>();
  let at = 0;
  for (const line of transcript.split('\n')) {
    const number = /^ ?(\d+)\. /.exec(line)?.[1];
    if (number !== undefined) at = Number(number);
    if (/^\d+ of \d+ steps held/.test(line)) steps.set(0, [line]);
    else if (line.trim() !== '' && at > 0) steps.set(at, [...(steps.get(at) ?? []), line]);
  }
  return steps;
}

/** Returns the transcript as SVG. */
export function demoPicture(transcript: string): string {
  const steps = stepsOf(transcript);
  const lines = ['$ countersign demo', ''];
  for (const [number, most] of SHOWN) {
    const found = steps.get(number);
    if (found === undefined) throw new Error(`the demo's transcript has no step ${number}`);
    lines.push(...found.slice(0, most), '');
  }
  lines.push(...(steps.get(0) ?? []));
  const colour = (line: string): string => {
    if (/^ ?\d+\. |^\$/.test(line)) return '#ffffff';
    if (/^ {4}held|steps held/.test(line)) return '#7ee2a8';
    if (/^ {4}refused/.test(line)) return '#fca311';
    return '#b9c4dd';
  };
  const text = lines.flatMap((line, at) =>
    line === ''
      ? []
      : [
          `  <text x="${MARGIN}" y="${MARGIN + (at + 1) * LINE}" fill="${colour(line)}">${escaped(line)}</text>`,
        ],
  );
  const height = 2 * MARGIN + (lines.length + 1) * LINE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13">`,
    '  <title>A run of the demo: what was decided, landed, and refused</title>',
    `  <rect width="${WIDTH}" height="${height}" rx="10" fill="#14213d"/>`,
    ...text,
    '</svg>',
    '',
  ].join('\n');
}
