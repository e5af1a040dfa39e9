/**
 * `text` cut to `maxLength` UTF-16 units. The rest can be freed: a slice would keep the whole text in memory for as
 * long as it is remembered itself, and visitors may send 64 KB where 500 characters are wanted.
 */
export function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? copyOf(text.slice(0, maxLength)) : text;
}

/** The same text in memory of its own, where `text` may be a slice of a long one. */
export function copyOf(text: string): string {
  // By way of bytes, since V8 has a slice refer to the text it was taken from.
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
