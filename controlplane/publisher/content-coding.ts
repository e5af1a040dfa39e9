/** Codings that rulesets are sent in, the preferred one first. */
const CODINGS = ['gzip', 'br'] as const;

export type ContentCoding = (typeof CODINGS)[number] | 'identity';

/**
 * The coding to answer in (RFC 9110, section 12.5.3). `identity` is always taken to be acceptable: a reader that
 * forbids everything gets an answer it can look at rather than none.
 *
 * @param accepted the header Accept-Encoding
 */
export function chooseCoding(accepted: string | undefined): ContentCoding {
  if (accepted === undefined) return 'identity';
  const weights = new Map(accepted.split(',').map(parseElement));
  let chosen: ContentCoding = 'identity';
  let highest = weights.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (weight <= 0 || weight < highest || (weight === highest && chosen !== 'identity')) continue;
    chosen = coding;
    highest = weight;
  }
  return chosen;
}

function parseElement(element: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (weight === undefined) return [coding, 1];
  return [coding, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}
