/** Demo steps that only read: EVM trades over several pages, and an incorporation. */
import { asRecord } from '../../src/base/record.ts';
import { records, text } from './session.ts';
import { type DemoStep, must } from './steps.ts';

const PAGE = 40;

export const evmStep: DemoStep = {
  name: 'evm-trades',
  title: 'Page through EVM trades, hundreds of them in one second, and lose none',
  async run(state) {
    const { items } = await must(state, 'list_evm_token_creations', {});
    const token = records(items).at(0) ?? {};
    const tokenAddress = text(token, 'address');
    const seen: string[] = [];
    const times: number[] = [];
    let pages = 0;
    let cursor: Record<string, unknown> = {};
    do {
      const page = await must(state, 'list_evm_trades', { tokenAddress, limit: PAGE, ...cursor });
      pages += 1;
      for (const trade of records(page.trades)) {
        seen.push(text(trade, 'id'));
        times.push(Date.parse(text(trade, 'timestamp')));
      }
      cursor = page.nextBeforeTs === null ? {} : { beforeTs: page.nextBeforeTs, beforeId: page.nextBeforeId };
    } while (Object.keys(cursor).length > 0 && pages < 100);
    const whole = records((await must(state, 'list_evm_trades', { tokenAddress, limit: 200 })).trades);
    const repeated = seen.length - new Set(seen).size;
    const ordered = times.every((time, i) => i === 0 || time <= (times[i - 1] ?? 0));
    const sameStart = whole.every((trade, i) => trade.id === seen[i]);
    const busiest = Math.max(...[...countBy(times).values()]);
    return {
      step: {
        ok: repeated === 0 && ordered && sameStart && pages > 3 && seen.length === new Set(seen).size,
        tokenAddress,
        pages,
        trades: seen.length,
        repeated,
        mostInOneSecond: busiest,
      },
      lines: [
        `token       ${tokenAddress} (${String(token.version)})`,
        `trades      ${seen.length} on ${pages} pages, newest first, ${repeated} repeated; ${busiest} share one second`,
      ],
    };
  },
};

function countBy(values: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

export const incorporationStep: DemoStep = {
  name: 'incorporation',
  title: 'Start an incorporation, and list it without showing who the founders are',
  async run(state) {
    const tokenAddress = state.facts.get('launched') ?? '';
    const started = await must(state, 'start_incorporation', { tokenAddress });
    const listed = await must(state, 'list_incorporations', {});
    const project = records(listed.projects).find((each) => each.tokenAddress === tokenAddress) ?? {};
    const founder = asRecord(records(project.founders)[0]);
    return {
      step: {
        ok: started.incorporationStarted === true && !('firstName' in founder) && !('lastName' in founder),
        status: project.incorporationStatus,
        founderFields: Object.keys(founder),
      },
      lines: [
        `started     ${String(started.incorporationStarted)}, status ${String(project.incorporationStatus)}`,
        `founders    shown without names: ${Object.keys(founder).join(', ')}`,
      ],
    };
  },
};
