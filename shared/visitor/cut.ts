/**
 * Cuts `text` to `maxLength` UTF-16 units, so the rest can be freed. A slice would keep the whole text in memory as
 * long as the slice exists, and visitors may send 64 KB for a text of 500 characters.
 */
export function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? copyOf(text.slice(0, maxLength)) : text;
}

/** Copies a text that may be a slice of a longer one, so the longer one can be freed. */
export function copyOf(text: string): string {
  // Convert to bytes and back, because in V8 a slice refers to its original text.
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
