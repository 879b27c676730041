/**
 * fast-check with a fixed seed, so that a test fails only after a change. `COUNTERSIGN_TEST_SEED=7` plays other cases;
 * a failure prints its seed.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.COUNTERSIGN_TEST_SEED ?? 1) });

export default fc;
