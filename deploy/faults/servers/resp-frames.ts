const LINE_END = '\r\n';
const LENGTHS = new Set(['$', '=', '!']);
const LISTS = new Set(['*', '~', '>']);
const PAIRS = new Set(['%', '|']);

/**
 * Returns the end of the Redis reply that begins at `offset` (RESP 2 and 3,
 * https://redis.io/docs/latest/develop/reference/protocol-spec/), or undefined while part of it is missing.
 */
export function replyEnd(bytes: Buffer, offset: number): number | undefined {
  const lineEnd = bytes.indexOf(LINE_END, offset, 'latin1');
  if (lineEnd === -1) return undefined;
  const type = String.fromCharCode(bytes[offset] ?? 0);
  const count = Math.max(0, Number(bytes.toString('latin1', offset + 1, lineEnd)));
  const isAbsent = bytes[offset + 1] === 0x2d;
  const bodyStart = lineEnd + LINE_END.length;
  if (LENGTHS.has(type)) {
    const end = isAbsent ? bodyStart : bodyStart + count + LINE_END.length;
    return end <= bytes.length ? end : undefined;
  }
  if (LISTS.has(type)) return endOf(bytes, bodyStart, count);
  return PAIRS.has(type) ? endOf(bytes, bodyStart, 2 * count) : bodyStart;
}

function endOf(bytes: Buffer, offset: number, replies: number): number | undefined {
  let end: number | undefined = offset;
  for (let reply = 0; reply < replies && end !== undefined; reply += 1) end = replyEnd(bytes, end);
  return end;
}

/** Returns whether a reply is a message of a subscribed channel. */
export function isPublished(reply: Buffer): boolean {
  return /^[*>]3\r\n\$7\r\nmessage\r\n/.test(reply.toString('latin1', 0, 20));
}
