/** A transaction as `countersign read --json` prints it: addresses in full, amounts as decimal texts. Pure. */
import { capital } from '../../base/words.ts';
import { programName } from '../../programs/index.ts';
import { actWords } from '../../programs/words/acts.ts';
import type { Naming } from '../../programs/words/naming.ts';
import type { Explained } from './explain.ts';
import { quoted } from './naming.ts';
import { nameOf } from './page.ts';
import { type Scene, type Shown, sceneOf } from './scene.ts';
import { shortSentences } from './short.ts';

export function readJson(found: Explained, title: string, shown: Shown): unknown {
  const scene = sceneOf(found, shown);
  const naming: Naming = {
    address: (address) => found.unknownPlaces.get(address) ?? address,
    decimals: scene.decimals,
    quoted,
    known: scene.known,
  };
  return {
    title,
    format: found.format,
    feePayer: found.feePayer,
    feeLamports: found.feeLamports ?? null,
    blockhash: found.blockhash,
    messageSha256: found.messageSha256,
    signers: found.signers,
    unknownTableEntries: [...found.unknownPlaces.keys()].length > 0,
    summary: summaryOf(scene, naming),
    instructions: found.instructions.map(({ reading, acts }) => ({
      index: reading.index,
      program: reading.program,
      programName: programName(reading.program) ?? null,
      status: reading.status,
      name: reading.status === 'unread' ? null : nameOf(reading),
      ...(reading.status === 'unread' ? { reason: reading.reason } : {}),
      inferred: reading.status === 'read' ? reading.inferred : [],
      acts: acts.map(plain),
      words: acts.map((act) => `${capital(actWords(act, naming))}.`),
    })),
  };
}

/** What the short part of the page says, as values and as sentences. */
function summaryOf({ wallet, summary }: Scene, naming: Naming) {
  const { totals, deposits, rights, unread } = summary;
  return {
    wallet,
    leaves: totals.leaves.map(plain),
    arrives: totals.arrives.map(plain),
    elsewhere: totals.elsewhere.map(plain),
    rights: {
      steps: rights.steps.map(({ step, act }) => ({ step, words: `${capital(actWords(act, naming))}.` })),
      otherKeys: rights.others,
      allKnown: !rights.unknown,
    },
    deposits: deposits.map(plain),
    unread: unread.map(plain),
    sentences: shortSentences(summary, naming).map((sentence) => sentence.trimStart()),
  };
}

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each)));
