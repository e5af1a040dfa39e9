/** First digit. The digits from `^` to `}` are 32 consecutive characters that JSON does not escape. */
const ZERO = 0x5e;
const BITS = 5;

/** Writes `value` in `length` digits, the most significant first. */
export function toBase32(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let digit = 0; digit < length; digit += 1) {
    text = String.fromCharCode(ZERO + (rest % 32)) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Reads up to six digits at a position. Other characters give an arbitrary number. */
export function readBase32(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = at; index < at + length; index += 1)
    value = (value << BITS) + ((bytes[index] ?? ZERO) - ZERO);
  return value;
}

/** Returns the value of one digit of a text. */
export function digitAt(text: string, at: number): number {
  return text.charCodeAt(at) - ZERO;
}
