import { expect, it } from 'vitest';
import { runClosedLoop } from './closed-loop.js';

it('callers ask side by side, each one thing at a time', async () => {
  let [asking, most, asked] = [0, 0, 0];
  const result = await runClosedLoop(3, 0.05, async () => {
    asking += 1;
    most = Math.max(most, asking);
    await new Promise(setImmediate);
    asking -= 1;
    asked += 1;
  });
  expect(most).toBe(3);
  expect(result.completed).toBe(asked);
  expect(result.requestsPerSecond).toBeGreaterThan(0);
});

it('one that fails ends the loop', async () => {
  const failing = runClosedLoop(2, 60, () => Promise.reject(new Error('no answer')));
  await expect(failing).rejects.toThrow('no answer');
});
