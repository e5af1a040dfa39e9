import type { PathOptions } from '../../../../../shared/paths/path-entry.js';
import type { ImportedRow } from '../import-format.js';
import { importedAnswers, requestsFor } from './imported-answers.fixture.js';
import type { Answer, Ask } from './original-server.fixture.js';

interface Compared {
  readonly rows: readonly ImportedRow[];
  readonly ask: Ask;
  readonly hosts: readonly string[];
  readonly options: Partial<PathOptions>;
  /** Returns whether the documentation names a difference for a request. */
  readonly isDocumented: (path: string, query: string) => boolean;
}

const NO_REDIRECT = 'no redirect';

/** Sends the same requests to the original server of a file and to Waymark after the import. */
export async function differences({ rows, ask, hosts, options, isDocumented }: Compared) {
  const differing: string[] = [];
  let compared = 0;
  for (const host of hosts) {
    const answer = importedAnswers(rows, host, options);
    for (const target of requestsFor(rows, host)) {
      const [path = '', query = ''] = target.split(/\?(.*)/s);
      // Servers merge consecutive slashes. Waymark keeps them.
      if (isDocumented(path, query) || path.includes('//')) continue;
      compared += 1;
      const original = shown(await ask(host, target), host);
      const imported = shown(answer(target), host);
      if (original !== imported) differing.push(`${host}${target}: ${original}, imported: ${imported}`);
    }
  }
  return { differing, compared };
}

export function shown(answer: Answer | null, host: string): string {
  if (answer === null || (answer.status !== 410 && (answer.status < 300 || answer.status > 399)))
    return NO_REDIRECT;
  const own = new RegExp(`^https?://${host.replaceAll('.', '\\.')}(?::[0-9]+)?(?=/)`);
  return `${answer.status} ${decoded(answer.location?.replace(own, '') ?? '')}`;
}

/**
 * Decodes a location. Servers that decode paths send them decoded, or with escapes in another case. Waymark keeps the
 * bytes.
 */
function decoded(location: string): string {
  const text = Buffer.from(location, 'latin1').toString('utf8');
  return text.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent).trimEnd();
}
