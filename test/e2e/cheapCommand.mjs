/**
 * Lowers the scrypt cost of every passphrase file that the built command writes in this process, as
 * `test/secrets/cheapPassphrases.mjs` does for code that tests import. Loaded before the command; `cheapPassphrases.ts` says how.
 */
const TEST_WORK_FACTOR = 8;

const chunk = await import(new URL(import.meta.url).searchParams.get('chunk'));
const [{ prototype }] = Object.values(chunk).filter((each) => each.prototype?.setScryptWorkFactor);
const { setScryptWorkFactor } = prototype;
prototype.setScryptWorkFactor = function setTestWorkFactor() {
  setScryptWorkFactor.call(this, TEST_WORK_FACTOR);
};
