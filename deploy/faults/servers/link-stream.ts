import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * - `lossy`: all bytes are late, and some were lost and repeated.
 * - `cut`: nothing passes, and the connection stays open.
 */
export type LinkState = 'good' | 'lossy' | 'cut';

const LATENCY_MS = 20;
const LOSS = 0.02;
/** Time after which TCP repeats lost bytes. Later bytes wait for them. */
const REPEATED_AFTER_MS = 220;
const POLL_INTERVAL_MS = 20;

/** One direction of a TCP connection over a link. TCP loses nothing: bytes that cannot pass wait. */
export function createLinkStream(state: () => LinkState): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      if (state() === 'good') return done(null, chunk);
      void passOn(this, state).then(() => done(null, chunk));
    },
  });
}

async function passOn(stream: Transform, state: () => LinkState): Promise<void> {
  while (state() === 'cut' && !stream.destroyed) await delay(POLL_INTERVAL_MS);
  if (state() === 'lossy') await delay(Math.random() < LOSS ? REPEATED_AFTER_MS : LATENCY_MS);
}
