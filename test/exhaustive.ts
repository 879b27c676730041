/** Whether every case is played, as `npm run exhaustive` does. The suite plays a fixed sample. Projects of vitest take over no mode. */
export const EXHAUSTIVE = process.env.npm_lifecycle_event === 'exhaustive';
