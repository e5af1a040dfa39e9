import type { HttpResponse } from 'uWebSockets.js';

/** Fate of the connection after the answer. {@link answerLater} explains `close-later`. */
export type ConnectionMode = 'keep' | 'close' | 'close-later';

/**
 * Answers in a later turn and ends the connection. The addon drops a connection on which another request follows
 * before the answer; after an answer in the same turn it would go on to serve that request.
 *
 * @param write writes the whole answer, `closing` where it can
 * @param closes whether the connection is to be closed under an answer that has not been ended
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
