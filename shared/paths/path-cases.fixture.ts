import { readFileSync } from 'node:fs';
import { DEFAULT_PATH_OPTIONS, type PathEntry, type PathOptions } from './path-entry.js';

/** A table of `path-corpus.json` with the requests to it. */
export interface PathCases {
  readonly group: string;
  readonly host: string;
  readonly destination: string;
  readonly queryForwarding: boolean;
  readonly options: PathOptions;
  readonly entries: readonly PathEntry[];
  readonly requests: readonly PathCase[];
}

export interface PathCase {
  readonly path: string;
  readonly query: string;
  readonly labels: string;
  /** Source of the entry that decides; null when none does. */
  readonly source: string | null;
  /** Null for 410, and when no entry decides. */
  readonly location: string | null;
}

interface Corpus {
  readonly groups: readonly {
    readonly group: string;
    readonly host?: string;
    readonly destination?: string;
    readonly queryForwarding?: boolean;
    readonly options?: Partial<PathOptions>;
    readonly entries: readonly (Pick<PathEntry, 'source' | 'destination'> & Partial<PathEntry>)[];
    readonly requests: readonly {
      readonly target: string;
      readonly labels?: string;
      readonly source: string | null;
      readonly location: string | null;
    }[];
  }[];
}

/** All groups of `path-corpus.json` with their defaults filled in. */
export function readPathCorpus(): PathCases[] {
  const corpus: Corpus = JSON.parse(readFileSync(new URL('./path-corpus.json', import.meta.url), 'utf8'));
  return corpus.groups.map((group) => ({
    group: group.group,
    host: group.host ?? 'old.example',
    destination: group.destination ?? 'https://new.example/home',
    queryForwarding: group.queryForwarding ?? false,
    options: { ...DEFAULT_PATH_OPTIONS, ...group.options },
    entries: group.entries.map(pathEntryOf),
    requests: group.requests.map(({ target, labels = '', source, location }) => {
      const [path = '', query = ''] = target.split(/\?(.*)/s);
      return { path, query, labels, source, location };
    }),
  }));
}

/** An entry with the defaults of the API. */
export function pathEntryOf(
  entry: Pick<PathEntry, 'source' | 'destination'> & Partial<PathEntry>,
  index = 0,
): PathEntry {
  return { id: index + 1, query: null, statusCode: 301, queryForwarding: 'inherit', ...entry };
}
