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
