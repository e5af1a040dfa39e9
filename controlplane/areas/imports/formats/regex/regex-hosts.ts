import { hostName } from '../host.js';
import { refusal, Unread } from '../outcome.js';
import { expandSequence, requireFewVariants, type Variant } from './expand-regex.js';
import { type RegexNode, type RegexSequence, readRegex } from './read-regex.js';

/** A host that a regular expression matches. */
export interface RegexHost {
  /** `*.example.com` for every name below. */
  readonly host: string;
  readonly captures: ReadonlyMap<string, string>;
}

/**
 * Returns the hosts that a regular expression matches. An unescaped dot is read as a dot, because no other character
 * makes sense there in a host name. "$" may be missing, because a port can follow the host.
 *
 * @throws {Unread} when the hosts cannot be listed
 */
export function regexHosts(expression: string): readonly RegexHost[] {
  try {
    const hosts: RegexHost[] = [];
    for (const sequence of readRegex(expression)) {
      hosts.push(...hostsOf(sequence));
      requireFewVariants(hosts);
    }
    return hosts;
  } catch (fault) {
    if (!(fault instanceof Unread)) throw fault;
    throw refusal(`The hosts cannot be listed: ${fault.message} Name each host.`, 'host');
  }
}

function hostsOf(sequence: RegexSequence): RegexHost[] {
  if (sequence[0]?.kind !== 'start') throw refusal('Without "^" it matches other hosts, too.');
  const inner = sequence.slice(1, sequence.at(-1)?.kind === 'end' ? -1 : undefined);
  return expandSequence(inner.map(withDots)).map(hostOf);
}

/** Reads "." as a dot, except where it is repeated. */
function withDots(node: RegexNode): RegexNode {
  if (node.kind === 'any') return { kind: 'text', text: '.' };
  if (node.kind !== 'group') return node;
  return { ...node, options: node.options.map((option) => option.map(withDots)) };
}

function hostOf({ pieces, captures }: Variant): RegexHost {
  const texts = pieces.map((piece) =>
    piece.kind === 'text' ? piece.text : piece.kind === 'rest' ? '*' : '\0',
  );
  const text = texts.join('');
  const isListed = !text.includes('\0') && (!text.includes('*') || /^\*\.[^*]+$/.test(text));
  const host = isListed ? hostName(text) : undefined;
  if (host === undefined) throw refusal('It does not name a host, or "(.+)" and a domain.');
  const literal = [...captures].flatMap(([name, list]) =>
    list.every(({ kind }) => kind === 'text')
      ? [[name, list.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')] as const]
      : [],
  );
  return { host, captures: new Map(literal) };
}
