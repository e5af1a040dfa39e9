const LANGUAGE_TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;
const QUALITY = /^[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Returns the language tag of highest quality in an `Accept-Language` value (RFC 9110, 12.5.4), as sent; the first of
 * several. Ignores `*`, refused languages (`q=0`) and invalid tags. Empty if none is left.
 */
export function preferredLanguage(acceptLanguage: string): string {
  let best = '';
  let bestQuality = 0;
  for (const range of acceptLanguage.split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (!LANGUAGE_TAG.test(tag)) continue;
    const quality = qualityOf(parameters);
    if (quality > bestQuality) {
      best = tag;
      bestQuality = quality;
    }
  }
  return best;
}

/** Returns the quality: 1 without a parameter, and 0 (never preferred) with a malformed one. */
function qualityOf(parameters: readonly string[]): number {
  const [parameter] = parameters;
  if (parameter === undefined) return 1;
  return Number(QUALITY.exec(parameter)?.[1] ?? 0);
}
