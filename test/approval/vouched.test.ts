import { describe, expect, it } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { ACCEPTED_POLICY, ACCEPTED_PRINCIPALS } from '../../src/approval/answers.ts';
import { acceptedPolicy, acceptedPrincipals, watchedFreeze } from '../../src/approval/trustedState.ts';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { noteOf } from '../../src/ledger/notes.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Mode } from '../../src/plan/types.ts';
import { handClock } from '../ledger/samples.ts';
import { temporaryHome, thrownBy } from '../secrets/temporaryHome.ts';
import { passphrase, withOwner } from './owner.ts';
import { homeWithQuestion } from './samples.ts';

const HASH = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const DAY = 86_400_000;

async function home(mode: Mode = 'live') {
  const path = temporaryHome();
  const ownerPublicKey = await withOwner(path);
  const clock = handClock();
  const ledger = openLedger({ home: path, clock });
  const answering = createAnswering({ home: path, ledger, ownerPublicKey });
  return { path, ledger, clock, answering, ownerPublicKey, parts: { mode, ledger, ownerPublicKey } };
}

describe('a policy file changed while the server runs', () => {
  it('takes effect once the owner key has accepted its hash', async () => {
    const { parts, answering } = await home();
    const accepted = acceptedPolicy(parts);
    expect(await accepted()).toBeUndefined();
    await answering.acceptPolicy(HASH, passphrase());
    expect(await accepted()).toBe(HASH);
    expect(await accepted()).toBe(HASH);
  });

  it('stays denied if the acceptance names another hash or has no valid statement of the owner key', async () => {
    const { parts, ledger, answering } = await home();
    const accepted = acceptedPolicy(parts);
    await answering.acceptPolicy(HASH, passphrase());
    const note = JSON.parse((await noteOf(ledger, ACCEPTED_POLICY)) ?? '{}');
    for (const forged of [
      { ...note, hash: OTHER },
      { hash: OTHER },
      { hash: OTHER, statement: '{}' },
      'x',
      null,
    ]) {
      await ledger.setNote(ACCEPTED_POLICY, JSON.stringify(forged));
      expect(await accepted()).toBeUndefined();
    }
    await ledger.setNote(ACCEPTED_POLICY, 'not json');
    expect(await accepted()).toBeUndefined();
    const stranger = acceptedPolicy({ ...parts, ownerPublicKey: await withOwner(temporaryHome()) });
    await ledger.setNote(ACCEPTED_POLICY, JSON.stringify(note));
    expect(await stranger()).toBeUndefined();
  });

  it('is not restored by an old acceptance: replayed, made before the start, or older than a day', async () => {
    const { parts, ledger, answering, clock } = await home();
    const accepted = acceptedPolicy(parts);
    await accepted();
    await answering.acceptPolicy(HASH, passphrase());
    const first = (await noteOf(ledger, ACCEPTED_POLICY)) ?? '';
    expect(await accepted()).toBe(HASH);
    clock.at += 1000;
    await answering.acceptPolicy(OTHER, passphrase());
    expect(await accepted()).toBe(OTHER);
    await ledger.setNote(ACCEPTED_POLICY, first);
    expect(await accepted()).toBeUndefined();
    expect(await acceptedPolicy(parts)()).toBeUndefined();
    const late = acceptedPolicy(parts);
    await late();
    await answering.acceptPolicy(HASH, passphrase());
    clock.at += DAY;
    expect(await late()).toBeUndefined();
  });

  it('cannot be accepted without the owner passphrase', async () => {
    const { answering, ledger } = await home();
    expect(await thrownBy(() => answering.acceptPolicy(HASH, passphrase('another one')))).toMatchObject({
      code: 'WRONG_PASSPHRASE',
    });
    expect(await noteOf(ledger, ACCEPTED_POLICY)).toBeUndefined();
  });
});

describe('a principals file changed while the server runs', () => {
  it('takes effect once the owner key has accepted its hash, without accepting a policy', async () => {
    const { parts, answering, ledger } = await home();
    const accepted = acceptedPrincipals(parts);
    expect(await accepted()).toBeUndefined();
    await answering.acceptPrincipals(HASH, passphrase());
    expect(await accepted()).toBe(HASH);
    expect(await acceptedPolicy(parts)()).toBeUndefined();
    // A signed policy does not vouch for principals.
    const note = (await noteOf(ledger, ACCEPTED_PRINCIPALS)) ?? '';
    await ledger.setNote(ACCEPTED_POLICY, note);
    const policy = acceptedPolicy(parts);
    expect(await policy()).toBeUndefined();
  });

  it('needs no key in the sandbox, where an acceptance made before the start is ignored and no policy is accepted', async () => {
    const { parts, ledger, clock, answering } = await home('sandbox');
    const noted = (hash: unknown, at: unknown) =>
      ledger.setNote(ACCEPTED_PRINCIPALS, JSON.stringify({ hash, at }));
    const accepted = acceptedPrincipals(parts);
    await noted(HASH, clock.at - 1);
    expect(await accepted()).toBeUndefined();
    await noted(HASH, clock.at);
    expect(await accepted()).toBe(HASH);
    clock.at += 1000;
    expect(await accepted()).toBe(HASH);
    expect(await acceptedPrincipals(parts)()).toBeUndefined();
    for (const [hash, at] of [
      [5, clock.at],
      [HASH, `${clock.at}`],
      [HASH, undefined],
    ]) {
      await noted(hash, at);
      expect(await accepted()).toBeUndefined();
    }
    const policy = acceptedPolicy(parts);
    await policy();
    await answering.acceptPolicy(HASH, passphrase());
    expect(await policy()).toBeUndefined();
  });

  it('cannot be accepted without an owner key', async () => {
    const { parts, answering } = await home();
    const accepted = acceptedPolicy({ ...parts, ownerPublicKey: async () => undefined });
    await accepted();
    await answering.acceptPolicy(HASH, passphrase());
    expect(await accepted()).toBeUndefined();
  });
});

describe('a freeze observed by a running server', () => {
  it('ends with its row in the sandbox, and is absent before one was observed', async () => {
    const { parts, ledger } = await home('sandbox');
    const frozen = watchedFreeze(parts);
    expect(await frozen()).toBeUndefined();
    await ledger.freeze('Enough.');
    expect(await frozen()).toMatchObject({ reason: 'Enough.' });
    await ledger.freeze({ lifted: undefined });
    expect(await frozen()).toBeUndefined();
    const live = await home();
    expect(await watchedFreeze(live.parts)()).toBeUndefined();
  });

  it('does not end with a note without a statement', async () => {
    const { parts, ledger } = await home();
    const frozen = watchedFreeze(parts);
    await ledger.freeze('Enough.');
    await frozen();
    await ledger.freeze({ lifted: undefined });
    for (const note of ['null', '5', '[]', '{}', '{"statement":5}', '{"statement":"x"}', 'x']) {
      await ledger.setNote('unfrozen', note);
      expect(await frozen(), note).toMatchObject({ reason: 'Enough.' });
    }
  });

  it("ends with the owner key's statement about this freeze", async () => {
    const { parts, ledger, answering } = await home();
    const frozen = watchedFreeze(parts);
    await answering.freeze('Enough.');
    expect(await frozen()).toMatchObject({ reason: 'Enough.' });
    await answering.unfreeze(passphrase(), Number.POSITIVE_INFINITY);
    expect(await frozen()).toBeUndefined();
    expect(await frozenFor(ledger)).toBeUndefined();
  });

  it('of a principal ends only with a statement about that principal; one command lifts each', async () => {
    const { parts, ledger, answering } = await home();
    const [all, anna, bela] = [undefined, 'anna', 'bela'].map((name) => watchedFreeze(parts, name));
    await ledger.freeze('For all.');
    await ledger.freeze('Of anna.', 'anna');
    await ledger.freeze('Of bela.', 'bela');
    for (const frozen of [all, anna, bela]) expect(await frozen?.()).toBeDefined();
    await answering.unfreeze(passphrase(), Number.POSITIVE_INFINITY, 'anna');
    expect(await anna?.()).toBeUndefined();
    expect(await bela?.()).toMatchObject({ reason: 'Of bela.' });
    // The signed release of one principal's freeze does not release another's.
    await ledger.setNote('unfrozen bela', (await noteOf(ledger, 'unfrozen anna')) ?? '');
    await ledger.freeze({ lifted: (await noteOf(ledger, 'unfrozen anna')) ?? '' }, 'bela');
    expect(await bela?.()).toMatchObject({ reason: 'Of bela.' });
    await ledger.freeze('Of bela.', 'bela');
    await answering.unfreeze(passphrase(), Number.POSITIVE_INFINITY);
    expect(await all?.()).toBeUndefined();
    expect(await bela?.()).toBeUndefined();
  });

  it('does not end if its row disappears, or with a statement about an earlier freeze', async () => {
    const { parts, ledger, answering, clock } = await home();
    const frozen = watchedFreeze(parts);
    await answering.freeze('One.');
    await frozen();
    await answering.unfreeze(passphrase(), Number.POSITIVE_INFINITY);
    const old = JSON.parse((await noteOf(ledger, 'unfrozen')) ?? '{}').statement;
    clock.at += 1000;
    await answering.freeze('Two.');
    expect(await frozen()).toMatchObject({ reason: 'Two.' });
    await ledger.freeze({ lifted: undefined });
    expect(await frozen()).toMatchObject({ reason: 'Two.' });
    await ledger.freeze({ lifted: old });
    expect(await frozen()).toMatchObject({ reason: 'Two.' });
  });

  it('cannot be lifted without the owner passphrase in a live home', async () => {
    const { answering, ledger } = await home();
    await answering.freeze('Enough.');
    expect(await answering.unfreezeNeedsOwner()).toBe(true);
    expect(await thrownBy(() => answering.unfreeze(undefined, Number.POSITIVE_INFINITY))).toMatchObject({
      code: 'OWNER_KEY_NEEDED',
    });
    expect(await frozenFor(ledger)).toBeDefined();
  });

  it('needs no key in a home that only used the sandbox', async () => {
    const path = temporaryHome();
    const { ledger } = await homeWithQuestion(path);
    const answering = createAnswering({ home: path, ledger, ownerPublicKey: async () => undefined });
    await answering.freeze('Enough.');
    expect(await answering.unfreezeNeedsOwner()).toBe(false);
    await answering.unfreeze(undefined, Number.POSITIVE_INFINITY);
    expect(await frozenFor(ledger)).toBeUndefined();
  });

  it('needs a key as soon as a live plan is known, even if other records are missing', async () => {
    const path = temporaryHome();
    const { ledger } = await homeWithQuestion(path, 'live');
    const answering = createAnswering({ home: path, ledger, ownerPublicKey: async () => undefined });
    await answering.freeze('Enough.');
    expect(await thrownBy(() => answering.unfreeze(passphrase(), Number.POSITIVE_INFINITY))).toMatchObject({
      code: 'OWNER_KEY_NEEDED',
    });
  });
});
