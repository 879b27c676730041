/** Times in arguments: ISO 8601, for the contract's unix seconds, which are taken too. */
import { z } from 'zod';
import { unixSeconds } from '../src/contract/params.ts';

const iso = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

const inSeconds = (value: unknown): unknown =>
  iso.safeParse(value).success ? Math.floor(Date.parse(String(value)) / 1000) : value;

/** Takes a time and gives unix seconds. Published as text, or as a number where it is a cursor. */
export const timeArgument = (description: string, type: 'string' | 'integer' = 'string') =>
  z.preprocess(inSeconds, unixSeconds(description)).meta({ type, description });
