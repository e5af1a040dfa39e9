import { domainToASCII } from 'node:url';
import { escapeForHeader } from './header-bytes.js';
import { normalizeHost } from './host-name.js';

const NON_ASCII = /\P{ASCII}/u;

/** A destination cut at its delimiters and made fit for a header; the parts in sequence are the whole. */
export interface DestinationParts {
  /** `scheme://host:port`, bytes and case kept where they are ASCII. */
  readonly origin: string;
  /** With its leading `/`; empty when there is none. */
  readonly path: string;
  /** With its leading `?`; empty when there is none. */
  readonly query: string;
  /** With its leading `#`; empty when there is none. */
  readonly fragment: string;
  /** The host in the form in which hosts are compared and looked up. */
  readonly host: string;
}

/**
 * Cuts a destination without decoding or normalising it. `URL` is not used because it rewrites: it resolves
 * dot segments, drops default ports, changes case and adds a `/`.
 */
export function splitDestination(destination: string): DestinationParts {
  const [beforeFragment, fragment] = cut(destination, destination.indexOf('#'));
  const [beforeQuery, query] = cut(beforeFragment, beforeFragment.indexOf('?'));
  const schemeEnd = beforeQuery.indexOf('://');
  const [scheme, afterScheme] = cut(beforeQuery, schemeEnd === -1 ? 0 : schemeEnd + '://'.length);
  // For http and https, clients take `\` for `/`.
  const [authority, path] = cut(afterScheme, afterScheme.search(/[/\\]/));
  const [hostAsGiven, port] = cut(authority, authority.search(/:[0-9]*$/));
  const asciiHost = domainToASCII(hostAsGiven);

  return {
    origin: escapeForHeader(scheme) + hostForHeader(hostAsGiven, asciiHost) + port,
    path: escapeForHeader(path),
    query: escapeForHeader(query),
    fragment: escapeForHeader(fragment),
    host: normalizeHost(asciiHost || hostAsGiven),
  };
}

/** No client resolves a percent-encoded host, so an internationalised one becomes punycode. */
function hostForHeader(host: string, asciiHost: string): string {
  return NON_ASCII.test(host) && asciiHost !== '' ? asciiHost : escapeForHeader(host);
}

/** The text before `index` and from it on; all of it before when `index` is -1. */
function cut(text: string, index: number): [string, string] {
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index)];
}
