/** Whether every case is played, as `npm run exhaustive` does. The suite plays a fixed sample. */
export const EXHAUSTIVE = process.env.COUNTERSIGN_TEST_MODE === 'exhaustive';
