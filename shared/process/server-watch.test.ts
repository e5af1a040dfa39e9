import { expect, it, vi } from 'vitest';
import { createServerWatch } from './server-watch.js';

const PACE = { patienceMs: 5, retryIntervalMs: 5 };

/** A server whose pings a test answers as it likes. */
function setUp() {
  let isHung = false;
  let pings = 0;
  const watch = createServerWatch({
    ...PACE,
    problemOf: (cause) => new Error('The server does not answer.', { cause }),
    ping: async () => {
      pings += 1;
      if (isHung) throw new Error('Timeout error.');
    },
  });
  return {
    watch,
    pings: () => pings,
    setHung(value: boolean) {
      isHung = value;
    },
  };
}

const endless = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });

it('waits for a long statement as long as the server answers pings', async () => {
  const { watch, pings, setHung } = setUp();
  let isGivenUp = false;
  const statement = watch.during(endless).catch((error: unknown) => {
    isGivenUp = true;
    return error;
  });
  await vi.waitFor(() => expect(pings()).toBeGreaterThan(2));
  expect(isGivenUp).toBe(false);
  setHung(true);
  expect(await statement).toMatchObject({
    message: 'The server does not answer.',
    cause: { message: 'Timeout error.' },
  });
  watch.close();
});

it('refuses statements while the server hangs, and runs them when it answers again', async () => {
  const { watch, setHung } = setUp();
  setHung(true);
  await expect(watch.during(endless)).rejects.toThrow('does not answer');
  const statement = vi.fn(async () => 'answer');
  await expect(watch.during(statement)).rejects.toThrow('does not answer');
  expect(statement).not.toHaveBeenCalled();
  setHung(false);
  await vi.waitFor(async () => expect(await watch.during(statement)).toBe('answer'));
  watch.close();
});

it('sends no pings while nothing runs', async () => {
  const { watch, pings } = setUp();
  await watch.during(async () => 'answer');
  await new Promise((resolve) => setTimeout(resolve, 10 * PACE.patienceMs));
  expect(pings()).toBe(0);
  watch.close();
});

it('passes on the error of a statement', async () => {
  const { watch } = setUp();
  await expect(watch.during(() => Promise.reject(new Error('no such table')))).rejects.toThrow(
    'no such table',
  );
  watch.close();
});
