const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** Parses decimal digits without an exponent. Returns NaN for anything else and for infinity. */
export function decimalOf(text: string): number {
  if (!DECIMAL.test(text)) return Number.NaN;
  const number = Number(text);
  return Number.isFinite(number) ? number : Number.NaN;
}
