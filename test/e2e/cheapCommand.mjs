/**
 * Lowers the scrypt cost of passphrase files written by the built command in this process, like
 * `test/secrets/cheapPassphrases.mjs` for imported code. Preloaded by `cheapPassphrases.ts`.
 */
const TEST_WORK_FACTOR = 8;

const chunk = await import(new URL(import.meta.url).searchParams.get('chunk'));
const [{ prototype }] = Object.values(chunk).filter((each) => each.prototype?.setScryptWorkFactor);
const { setScryptWorkFactor } = prototype;
prototype.setScryptWorkFactor = function setTestWorkFactor() {
  setScryptWorkFactor.call(this, TEST_WORK_FACTOR);
};
