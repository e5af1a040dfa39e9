import type { HttpResponse } from 'uWebSockets.js';

/** Fate of the connection after the answer. {@link answerLater} explains `close-later`. */
export type ConnectionMode = 'keep' | 'close' | 'close-later';

/**
 * Answers in a later turn and ends the connection. If another request arrives before the answer, the addon drops the
 * connection. After an answer in the same turn it would serve that request.
 *
 * @param write writes the whole answer, `closing` if possible
 * @param closes whether to close the connection although the answer was not ended for the addon
 */
export function answerLater(res: HttpResponse, write: () => void, closes = false): void {
  let isGone = false;
  res.onAborted(() => {
    isGone = true;
  });
  setImmediate(() => {
    if (isGone) return;
    res.cork(write);
    if (closes) res.close();
  });
}

/**
 * Ends an answer with `body`. Returns false if the system did not take all of it; then the connection must be closed.
 * Needs a body, because the addon reports nothing about the start of an answer.
 */
export function isTaken(res: HttpResponse, body: string): boolean {
  const [isOk] = res.tryEnd(body, Buffer.byteLength(body));
  return isOk;
}

/**
 * Answers as {@link answerLater} does, and closes the connection even if the client does not read.
 *
 * @param writeStart writes all of the answer but its length and body
 * @param body ends with LF, which becomes CR LF
 */
export function answerLast(res: HttpResponse, writeStart: () => void, body: string, isHead: boolean): void {
  const length = Buffer.byteLength(body);
  const write = () => {
    writeStart();
    res.writeHeader('Connection', 'close');
    // Not ended for the addon, which would wait for the client. It writes the text unchanged and adds CR LF.
    res.writeHeader('Content-Length', isHead ? `${length}\r\n` : `${length + 1}\r\n\r\n${body.slice(0, -1)}`);
  };
  answerLater(res, write, true);
}
