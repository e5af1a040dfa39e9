import { hostName } from '../host.js';
import type { Refusal } from '../outcome.js';
import { expandSequence, requireFewVariants, type Variant } from './expand-regex.js';
import { readRegex } from './read-regex.js';
import { type RegexNode, type RegexSequence, UnfitRegex } from './regex-nodes.js';

/** A host that a regular expression matches. */
export interface RegexHost {
  /** `*.example.com` for every name below. */
  readonly host: string;
  readonly captures: ReadonlyMap<string, string>;
}

/**
 * Returns the hosts that a regular expression matches, or why they cannot be listed. A dot stands for a dot: no host name
 * has another character that could be meant. "$" may be missing, as the host can be followed by a port.
 */
export function regexHosts(expression: string): readonly RegexHost[] | Refusal {
  try {
    const hosts: RegexHost[] = [];
    for (const sequence of readRegex(expression)) {
      hosts.push(...hostsOf(sequence));
      requireFewVariants(hosts);
    }
    return hosts;
  } catch (fault) {
    if (fault instanceof UnfitRegex) {
      return { refusal: `The hosts cannot be listed: ${fault.message} Name each host.`, field: 'host' };
    }
    throw fault;
  }
}

function hostsOf(sequence: RegexSequence): RegexHost[] {
  if (sequence[0]?.kind !== 'start') throw new UnfitRegex('Without "^" it matches other hosts, too.');
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
  if (host === undefined) throw new UnfitRegex('It does not name a host, or "(.+)" and a domain.');
  const literal = [...captures].flatMap(([name, list]) =>
    list.every(({ kind }) => kind === 'text')
      ? [[name, list.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')] as const]
      : [],
  );
  return { host, captures: new Map(literal) };
}
