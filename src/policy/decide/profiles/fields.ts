/** Fields of a config as they are compared with the request, and as they may be shown. */
import { CONFIG_KEYS, claimerIndex } from '../../../contract/stockPrograms.ts';
import { shown } from '../checklist.ts';
import type { Condition } from './parts.ts';

/** A field holds what was asked for. Its name is shown only when it is one of ours. */
export function fieldHolds(key: string, value: string, wanted: string | undefined): Condition {
  return [
    value === wanted,
    () => {
      const known = CONFIG_KEYS.some((name) => name === key) || claimerIndex(key) !== null;
      return {
        wrong: known ? `field ${key}` : 'a field that was not asked for',
        observed: fieldText(value),
        allowed: wanted === undefined ? 'nothing' : fieldText(wanted),
      };
    },
  ];
}

/** A field's value as it may be shown: a claimer with its share, else what `shown` says. */
function fieldText(value: string): string {
  const [address = '', share = ''] = value.split(':');
  return /^[0-9]{1,5}$/.test(share) ? `${shown(address)}:${share}` : shown(value);
}
