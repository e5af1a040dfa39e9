const UPPER_CASE_RUNS = /[A-Z]+/g;
const UPPER_CASE = /[A-Z]/;

const DOT = 0x2e;
const STAR = 0x2a;
const COLON = 0x3a;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Returns the name by which a request's `Host` is looked up: lower-case, without port and final dot. Empty if nothing
 * is left. IPv6 literals keep their brackets. Never throws: an invalid host gives some string that is not a valid host
 * either.
 */
export function normalizeHost(hostHeader: string): string {
  let end = portStart(hostHeader);
  if (hostHeader.charCodeAt(end - 1) === DOT) end--;
  const name = end === hostHeader.length ? hostHeader : hostHeader.slice(0, end);
  // ASCII only: toLowerCase() alone would turn U+212A, the Kelvin sign, into a plain k.
  return UPPER_CASE.test(name) ? name.replace(UPPER_CASE_RUNS, (run) => run.toLowerCase()) : name;
}

/** Returns the position of a port at the end (`:` and digits), or the end of the text if there is none. */
function portStart(hostHeader: string): number {
  let index = hostHeader.length - 1;
  while (index >= 0 && isDigit(hostHeader.charCodeAt(index))) index--;
  return index >= 0 && hostHeader.charCodeAt(index) === COLON ? index : hostHeader.length;
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_9;
}

/** Returns whether a name is that of a wildcard redirect, such as `*.example.com`. No visitor can request it. */
export function isWildcard(host: string): boolean {
  return host.charCodeAt(0) === STAR;
}
