/**
 * Whether every case is played (`npm run exhaustive`); the suite plays a fixed sample. Vitest projects do not inherit a
 * mode.
 */
export const EXHAUSTIVE = process.env.npm_lifecycle_event === 'exhaustive';
