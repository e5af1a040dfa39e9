const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** The number that `text` writes in decimals, without exponent; NaN when it writes none that is finite. */
export function decimalOf(text: string): number {
  if (!DECIMAL.test(text)) return Number.NaN;
  const number = Number(text);
  return Number.isFinite(number) ? number : Number.NaN;
}
