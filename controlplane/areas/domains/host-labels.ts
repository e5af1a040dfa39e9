/**
 * Checks the lengths that DNS allows (RFC 1035 section 2.3.4): labels of 1 to 63 characters, 253 in all.
 *
 * @param host ASCII host name without trailing dot
 * @returns the fault, as the end of a sentence that begins with the name, or `null`
 */
export function lengthFault(host: string): string | null {
  const labels = host.split('.');
  if (labels.includes('')) return 'has an empty part between, before or after its dots';
  if (labels.some((label) => label.length > 63)) {
    return 'has a part of more than 63 characters between its dots (counted in its ASCII form)';
  }
  return host.length > 253 ? 'is longer than 253 characters (counted in its ASCII form)' : null;
}
