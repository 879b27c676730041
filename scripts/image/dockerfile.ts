/** Reads the project's Dockerfile, as far as it goes: the stages and their steps. Fails on what it does not know. */

export interface Step {
  readonly instruction: 'WORKDIR' | 'COPY' | 'RUN' | 'ENV' | 'VOLUME' | 'USER' | 'ENTRYPOINT' | 'CMD';
  readonly rest: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly steps: readonly Step[];
}

const KNOWN = ['WORKDIR', 'COPY', 'RUN', 'ENV', 'VOLUME', 'USER', 'ENTRYPOINT', 'CMD'] as const;

/** The stages of a Dockerfile whose instructions are one line each. */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { base: string; name: string | undefined; steps: Step[] }[] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [base = '', , name] = rest.split(/\s+/);
      stages.push({ base, name, steps: [] });
      continue;
    }
    const instruction = KNOWN.find((known) => known === word);
    const stage = stages.at(-1);
    if (instruction === undefined || stage === undefined || rest.endsWith('\\'))
      throw new Error(`a line of the Dockerfile that cannot be run here: ${line}`);
    stage.steps.push({ instruction, rest });
  }
  return stages;
}

/** The words of `ENTRYPOINT ["a"]` or `CMD ["b"]`. */
export function words(rest: string): string[] {
  const list: unknown = JSON.parse(rest);
  if (!Array.isArray(list)) throw new Error(`not a list of words: ${rest}`);
  return list.map(String);
}

/** The variables of an `ENV A=b C=d`. */
export const variables = (rest: string): Record<string, string> =>
  Object.fromEntries(rest.split(/\s+/).map((pair) => [pair.replace(/=.*/, ''), pair.replace(/^[^=]*=/, '')]));
