import { readFileSync } from 'node:fs';

/** One case of the corpus with its long texts expanded. */
export interface LocationCase {
  readonly group: string;
  readonly name: string;
  readonly destination: string;
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
  readonly path: string;
  readonly query: string | undefined;
  readonly location: string;
}

type CorpusText = string | readonly (string | { readonly repeat: string; readonly times: number })[];

interface Corpus {
  readonly groups: readonly {
    readonly group: string;
    readonly cases: readonly {
      readonly name: string;
      readonly destination: CorpusText;
      readonly pathForwarding: boolean;
      readonly queryForwarding: boolean;
      readonly path: CorpusText;
      readonly query: CorpusText | null;
      readonly location: CorpusText;
    }[];
  }[];
}

/** All cases of `location-corpus.json`. */
export function readLocationCorpus(): LocationCase[] {
  const corpus: Corpus = JSON.parse(readFileSync(new URL('./location-corpus.json', import.meta.url), 'utf8'));
  return corpus.groups.flatMap(({ group, cases }) =>
    cases.map((entry) => ({
      group,
      name: entry.name,
      destination: writeOut(entry.destination),
      pathForwarding: entry.pathForwarding,
      queryForwarding: entry.queryForwarding,
      path: writeOut(entry.path),
      query: entry.query === null ? undefined : writeOut(entry.query),
      location: writeOut(entry.location),
    })),
  );
}

function writeOut(text: CorpusText): string {
  if (typeof text === 'string') return text;
  return text.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('');
}
