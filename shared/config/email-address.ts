const MAX_LENGTH = 254;

/** Returns whether the text has the form of an e-mail address. Only a message to it can show whether it works. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_LENGTH && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(text);
}
