const MAX_LENGTH = 254;

/** Whether it has the form of an address; whether it works, only a message to it can tell. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_LENGTH && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(text);
}
