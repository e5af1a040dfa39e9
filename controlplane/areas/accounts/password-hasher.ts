import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../errors/app-error.js';

/** OWASP Password Storage Cheat Sheet, Argon2id (the library's default kind): 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes run on libuv's four threads; one of them stays free for files and name look-ups. */
const MAX_CONCURRENT = 3;
/** Maximum length of the queue. A hash takes about 30 ms, so the last caller waits less than a second. */
const MAX_QUEUED = 64;

/** Hashes passwords off the event loop, with a bounded number of concurrent hashes. */
export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

export interface PasswordHasherOptions {
  readonly maxConcurrent?: number;
  readonly maxQueued?: number;
}

export function createPasswordHasher(options: PasswordHasherOptions = {}) {
  const { maxConcurrent = MAX_CONCURRENT, maxQueued = MAX_QUEUED } = options;
  const waiting: (() => void)[] = [];
  let running = 0;

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxConcurrent) {
      if (waiting.length >= maxQueued) throw tooBusy();
      // A call that ends passes its turn to the first waiting call, so a later call cannot take it.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    /** @throws {AppError} SERVICE_UNAVAILABLE when too many are waiting */
    hash: (password: string): Promise<string> => limited(() => hash(password, PARAMETERS)),
    /**
     * Returns whether a password matches its hash. Takes the same time without a hash, so the time does not reveal
     * whether the user exists.
     *
     * @throws {AppError} SERVICE_UNAVAILABLE when too many are waiting
     */
    matches: (password: string, passwordHash: string | undefined): Promise<boolean> =>
      limited(
        async () => (await verify(passwordHash ?? unmatchableHash(), password)) && passwordHash !== undefined,
      ),
  };
}

/** Returns a well-formed hash of the usual cost that matches no known password. */
function unmatchableHash(): string {
  const { memoryCost, timeCost, parallelism } = PARAMETERS;
  const [salt, digest] = [16, 32].map((bytes) => Buffer.alloc(bytes).toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${digest}`;
}

function tooBusy(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: 'Too many people are logging in at this moment; retry in a few seconds.',
  });
}
