import { domainToASCII } from 'node:url';
import { escapeForHeader } from './header-bytes.js';
import { normalizeHost } from './host-name.js';

const NON_ASCII = /\P{ASCII}/u;

/**
 * Matches lower-case hosts that are not addresses, followed by characters that a header can contain. JSON escapes
 * none of them either.
 */
const PLAIN = /^https?:\/\/((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*)(?::[0-9]+)?(?:[/?#][!#-[\]-~]*)?$/;

/** A destination, cut at its delimiters and escaped for a header. Base, query and fragment together are the whole. */
export interface LocationParts {
  /** `scheme://host:port` and path. Bytes are kept if a header can contain them; those of the host if ASCII. */
  readonly base: string;
  /** `base` without its trailing slash, for requests whose path adds one. */
  readonly joint: string;
  /** Query with its leading `?`; empty without one. */
  readonly query: string;
  /** Fragment with its leading `#`; empty without one. */
  readonly fragment: string;
}

export interface DestinationParts extends LocationParts {
  /** The host in the form in which hosts are compared and looked up. */
  readonly host: string;
}

/**
 * Cuts a destination without decoding or normalising it. `URL` is not used because it rewrites: it resolves
 * dot segments, drops default ports, changes case and adds a `/`.
 */
export function splitDestination(destination: string): DestinationParts {
  const host = hostOfPlainDestination(destination);
  return host === undefined ? splitUnfit(destination) : { ...cutPlainDestination(destination), host };
}

function splitUnfit(destination: string): DestinationParts {
  const [beforeFragment, fragment] = cut(destination, destination.indexOf('#'));
  const [beforeQuery, query] = cut(beforeFragment, beforeFragment.indexOf('?'));
  const schemeEnd = beforeQuery.indexOf('://');
  const [scheme, afterScheme] = cut(beforeQuery, schemeEnd === -1 ? 0 : schemeEnd + '://'.length);
  // Clients treat `\` as `/` in http and https URLs.
  const [authority, path] = cut(afterScheme, afterScheme.search(/[/\\]/));
  const [hostAsGiven, port] = cut(authority, authority.search(/:[0-9]*$/));
  const asciiHost = domainToASCII(hostAsGiven);
  const base = escapeForHeader(scheme) + hostForHeader(hostAsGiven, asciiHost) + port + escapeForHeader(path);

  return {
    base,
    joint: path.endsWith('/') ? base.slice(0, -1) : base,
    query: escapeForHeader(query),
    fragment: escapeForHeader(fragment),
    host: normalizeHost(asciiHost || hostAsGiven),
  };
}

/** Returns the host of a destination that needs no escaping, as most do; undefined for all others. */
export function hostOfPlainDestination(destination: string): string | undefined {
  return PLAIN.exec(destination)?.[1];
}

/**
 * Splits a destination whose host comes from `hostOfPlainDestination`. It takes a fraction of the time of
 * `splitDestination`: mostly the base is the destination itself, and no string is created.
 */
export function cutPlainDestination(destination: string): LocationParts {
  const [beforeFragment, fragment] = cut(destination, destination.indexOf('#'));
  const [base, query] = cut(beforeFragment, beforeFragment.indexOf('?'));
  return { base, joint: base.endsWith('/') ? base.slice(0, -1) : base, query, fragment };
}

/**
 * Returns the host for the header. An internationalised host becomes punycode, because no client resolves a
 * percent-encoded host.
 */
function hostForHeader(host: string, asciiHost: string): string {
  return NON_ASCII.test(host) && asciiHost !== '' ? asciiHost : escapeForHeader(host);
}

/** Splits a text at `index`. At -1 the first part is the whole text. */
function cut(text: string, index: number): [string, string] {
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index)];
}
