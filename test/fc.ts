/**
 * fast-check that plays the same cases in every run, so that a test fails for a change and for nothing else.
 * `COUNTERSIGN_TEST_SEED=7` plays other cases; a failure names the seed to repeat it with.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.COUNTERSIGN_TEST_SEED ?? 1) });

export default fc;
