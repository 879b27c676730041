/**
 * The seven launch configurations of fee share configs (docs/contract.md C-CONFIG-20 … 26). Fees and thresholds apply to
 * SOL-quoted launches; other quotes have saved configurations.
 */

/** One row of the contract's config-type table. */
export interface ConfigType {
  /** The value of `serviceConfigType`. */
  readonly id: string;
  readonly label: string;
  /** Trading fee before and after graduation, in basis points (after: the starting rate). */
  readonly feeBpsBefore: number;
  readonly feeBpsAfter: number;
  /** Share of post-migration fees that compounds, in percent. */
  readonly compoundingPercent: number;
  /** Approximate graduation threshold in SOL. */
  readonly graduationSol: number;
  /** Share of the supply that is locked, in percent. */
  readonly lockedPercent?: number;
  /** Supply in whole tokens, if fixed by the type. */
  readonly supply?: number;
  /** Minimum fee in basis points, if the fee after graduation falls with the market cap. */
  readonly feeFloorBpsAfter?: number;
  readonly note?: string;
}

export const DEFAULT_CONFIG_TYPE = 'fa29606e-5e48-4c37-827f-4b03d58ee23d';

/** Unavailable when the quote mint is not wrapped SOL (C-CONFIG-15). */
export const LOCKED_85_CONFIG_TYPE = '810faadb-030b-47de-a68b-7211c1cbbee3';

export const CONFIG_TYPE_IDS = [
  DEFAULT_CONFIG_TYPE,
  'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3',
  'a7c8e1f2-3d4b-5a6c-9e0f-1b2c3d4e5f6a',
  '48e26d2f-0a9d-4625-a3cc-c3987d874b9e',
  LOCKED_85_CONFIG_TYPE,
  'e2963a6c-441a-4862-9d80-b94e3a481cd7',
  'ba28db46-ea6f-4452-8218-5587f6aca0a1',
] as const;
export type ConfigTypeId = (typeof CONFIG_TYPE_IDS)[number];

export const CONFIG_TYPES: Readonly<Record<ConfigTypeId, ConfigType>> = {
  'fa29606e-5e48-4c37-827f-4b03d58ee23d': {
    id: DEFAULT_CONFIG_TYPE,
    label: 'Default',
    feeBpsBefore: 200,
    feeBpsAfter: 200,
    compoundingPercent: 25,
    graduationSol: 85,
  },
  'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3': {
    id: 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3',
    label: '0.25% pre, 1% post',
    feeBpsBefore: 25,
    feeBpsAfter: 100,
    compoundingPercent: 50,
    graduationSol: 85,
  },
  'a7c8e1f2-3d4b-5a6c-9e0f-1b2c3d4e5f6a': {
    id: 'a7c8e1f2-3d4b-5a6c-9e0f-1b2c3d4e5f6a',
    label: '1% pre, 0.25% post',
    feeBpsBefore: 100,
    feeBpsAfter: 25,
    compoundingPercent: 50,
    graduationSol: 85,
  },
  '48e26d2f-0a9d-4625-a3cc-c3987d874b9e': {
    id: '48e26d2f-0a9d-4625-a3cc-c3987d874b9e',
    label: '10%',
    feeBpsBefore: 1000,
    feeBpsAfter: 1000,
    compoundingPercent: 50,
    graduationSol: 85,
  },
  '810faadb-030b-47de-a68b-7211c1cbbee3': {
    id: LOCKED_85_CONFIG_TYPE,
    label: '2% Flat, 85% Locked',
    feeBpsBefore: 200,
    feeBpsAfter: 200,
    compoundingPercent: 25,
    graduationSol: 100,
    lockedPercent: 85,
  },
  'e2963a6c-441a-4862-9d80-b94e3a481cd7': {
    id: 'e2963a6c-441a-4862-9d80-b94e3a481cd7',
    label: 'Default, 1K Supply',
    feeBpsBefore: 200,
    feeBpsAfter: 200,
    compoundingPercent: 25,
    graduationSol: 85,
    supply: 1000,
  },
  'ba28db46-ea6f-4452-8218-5587f6aca0a1': {
    id: 'ba28db46-ea6f-4452-8218-5587f6aca0a1',
    label: '2% Base, 96% Locked',
    feeBpsBefore: 200,
    feeBpsAfter: 200,
    compoundingPercent: 25,
    graduationSol: 80,
    lockedPercent: 96,
    feeFloorBpsAfter: 50,
    note: 'after migration the fee falls with market cap from 2% to a floor of 0.5%',
  },
};

/** Every label, for schemas and messages. */
export const CONFIG_TYPE_LABELS = Object.values(CONFIG_TYPES)
  .map(({ label }) => label)
  .join('; ');

/** Returns the id of a config type by its label, in upper or lower case. Returns any other value unchanged. */
export const configTypeId = (value: string): string =>
  Object.values(CONFIG_TYPES).find(({ label }) => label.toLowerCase() === value.trim().toLowerCase())?.id ??
  value;
