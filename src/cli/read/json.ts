/** A transaction as `countersign read --json` prints it: addresses in full, amounts as decimal texts. Pure. */
import { capital } from '../../base/words.ts';
import { programName } from '../../programs/index.ts';
import { actWords } from '../../programs/words/acts.ts';
import type { Naming } from '../../programs/words/naming.ts';
import type { Explained } from './explain.ts';
import { quoted } from './naming.ts';
import { toCompare } from './page/compare.ts';
import { nameOf } from './page/page.ts';
import { shortSentences } from './page/short.ts';
import { type Scene, type Shown, sceneOf } from './scene.ts';

export function readJson(found: Explained, title: string, shown: Shown): unknown {
  const scene = sceneOf(found, shown);
  const naming: Naming = {
    address: (address) => found.unknownPlaces.get(address) ?? address,
    decimals: scene.decimals,
    quoted,
    known: scene.known,
  };
  const page = {
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
      acts,
      words: acts.map((act) => `${capital(actWords(act, naming))}.`),
    })),
  };
  return plain(page, found.unknownPlaces);
}

/** What the short part of the page says, as values and as sentences. */
function summaryOf({ wallet, summary }: Scene, naming: Naming) {
  const { totals, deposits, rights, unread } = summary;
  return {
    wallet,
    leaves: totals.leaves,
    arrives: totals.arrives,
    elsewhere: totals.elsewhere,
    rights: {
      steps: rights.steps.map(({ step, act }) => ({ step, words: `${capital(actWords(act, naming))}.` })),
      otherKeys: rights.others,
      allKnown: !rights.unknown,
    },
    deposits,
    unread,
    inferred: summary.inferred,
    compare: toCompare(summary, naming),
    sentences: shortSentences(summary, naming).map((sentence) => sentence.trimStart()),
  };
}

/** Amounts as texts, and entries of tables that are not known by their place. */
const plain = (value: unknown, places: ReadonlyMap<string, string>): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => {
      if (typeof each === 'bigint') return `${each}`;
      return typeof each === 'string' ? (places.get(each) ?? each) : each;
    }),
  );
