import { expect, onTestFinished, test, vi } from 'vitest';
import { hearRollRequests } from './rolling-restart.js';

/** Requests of this process; the signal is raised without sending one. */
function openRequests() {
  const before = process.listeners('SIGUSR2');
  const requests = hearRollRequests();
  onTestFinished(() => {
    for (const listener of process.listeners('SIGUSR2')) {
      if (!before.includes(listener)) process.off('SIGUSR2', listener);
    }
  });
  const roll = vi.fn(async () => true);
  return { requests, roll, request: () => process.emit('SIGUSR2', 'SIGUSR2') };
}

test('a request is carried out at once', () => {
  const { requests, roll, request } = openRequests();
  requests.serveWith({ roll });
  expect(roll).not.toHaveBeenCalled();
  request();
  request();
  expect(roll).toHaveBeenCalledTimes(2);
});

test('requests during the start are carried out after it, all of them by one round', () => {
  const { requests, roll, request } = openRequests();
  request();
  request();
  requests.serveWith({ roll });
  expect(roll).toHaveBeenCalledOnce();
});
