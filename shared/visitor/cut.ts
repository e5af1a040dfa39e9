/**
 * `text` cut to `maxLength` UTF-16 units. What is cut off is free to go: a slice would keep all of the text in memory
 * for as long as it is remembered itself, and visitors may send 64 KB where 500 characters are wanted.
 */
export function cut(text: string, maxLength: number): string {
  // By way of bytes, since V8 has a slice refer to the text it was taken from.
  return text.length > maxLength
    ? Buffer.from(text.slice(0, maxLength), 'utf16le').toString('utf16le')
    : text;
}
