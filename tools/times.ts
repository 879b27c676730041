/** Time arguments in ISO 8601 or in the contract's unix seconds. */
import { z } from 'zod';
import { unixSeconds } from '../src/contract/params.ts';

const iso = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

const inSeconds = (value: unknown): unknown =>
  iso.safeParse(value).success ? Math.floor(Date.parse(String(value)) / 1000) : value;

/** Schema of a time that parses to unix seconds. Published as text, or as a number for cursors. */
export const timeArgument = (description: string, type: 'string' | 'integer' = 'string') =>
  z.preprocess(inSeconds, unixSeconds(description)).meta({ type, description });
