import { expect, onTestFinished, test, vi } from 'vitest';
import type { WorkerStatus } from './ipc-messages.js';
import { STATUS } from './scripted-worker.fixture.js';
import { createWorkerRequests } from './worker-requests.js';

function openRequests() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: number[] = [];
  return { sent, requests: createWorkerRequests<string, WorkerStatus>((id) => sent.push(id)) };
}

test('each question gets its own answer', async () => {
  const { sent, requests } = openRequests();
  const answers = [requests.ask('how are you'), requests.ask('how are you')];
  const [first = 0, second = 0] = sent;
  expect(first).not.toBe(second);
  const other = { ...STATUS, metrics: [] };
  requests.answer(second, other);
  requests.answer(first, STATUS);
  const [one, two] = await Promise.all(answers);
  expect(one).toBe(STATUS);
  expect(two).toBe(other);
  expect(vi.getTimerCount()).toBe(0);
});

test('a question without an answer ends after a second', async () => {
  const { sent, requests } = openRequests();
  let answered = false;
  const asked = requests.ask('how are you').finally(() => {
    answered = true;
  });
  await vi.advanceTimersByTimeAsync(990);
  expect(answered).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect(await asked).toBeUndefined();
  requests.answer(sent[0] ?? 0, STATUS); // too late, and no error
});

test('an answer that has arrived counts, though this process was held up for longer than the limit', async () => {
  const { sent, requests } = openRequests();
  const asked = requests.ask('how are you');
  vi.advanceTimersToNextTimer(); // the time is up, and the messages are read next
  requests.answer(sent[0] ?? 0, STATUS);
  await vi.advanceTimersByTimeAsync(10);
  expect(await asked).toBe(STATUS);
});

test('a flood of questions to a worker that does not answer is bounded', async () => {
  const { sent, requests } = openRequests();
  const asked = Array.from({ length: 1_500 }, () => requests.ask('how are you'));
  expect(sent).toHaveLength(1_000);
  expect(await asked.at(-1)).toBeUndefined();
  requests.answer(sent[0] ?? 0, STATUS);
  expect(await asked[0]).toBe(STATUS);
  void requests.ask('how are you');
  expect(sent).toHaveLength(1_001);
});
