import { expect, it } from 'vitest';
import { createTwoStepStop } from './two-step-stop.js';

/** Steps of which those in `failing` fail. `taken` lists the executed steps. */
function openSteps(failing: readonly ('retire' | 'close')[] = []) {
  const taken: string[] = [];
  const step = (name: 'retire' | 'close') => async () => {
    taken.push(name);
    if (failing.includes(name)) throw new Error(`no ${name}`);
  };
  return { taken, ...createTwoStepStop({ retire: step('retire'), close: step('close') }) };
}

it('takes each step once, in order, also when the first step was requested before', async () => {
  const alone = openSteps();
  await alone.stop();
  expect(alone.taken).toEqual(['retire', 'close']);
  const apart = openSteps();
  await apart.retire();
  expect(apart.taken).toEqual(['retire']);
  await apart.stop();
  expect(apart.taken).toEqual(['retire', 'close']);
});

it('reports the failure of the first step only to the caller that requested it', async () => {
  const { taken, retire, stop } = openSteps(['retire']);
  await expect(retire()).rejects.toThrow('no retire');
  expect(await stop()).toBeUndefined();
  expect(taken).toEqual(['retire', 'close']);
});

it('reports both failures when the first step was not requested before', async () => {
  const { taken, stop } = openSteps(['retire', 'close']);
  await expect(stop()).rejects.toThrow('no retire; no close');
  expect(taken).toEqual(['retire', 'close']);
});
