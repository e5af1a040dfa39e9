import { describe, expect, it } from 'vitest';
import { createFairQueue, type Turn } from './fair-queue.js';

/** A task that runs until the test ends it. */
function heldTask() {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end: () => end(), task: (connection: string) => held.then(() => connection) };
}

/** Returns a queue whose only connection is in use. `begun` lists later tasks in the order of their start. */
function busyQueue(maxWaiting = 10) {
  const queue = createFairQueue(['only'], maxWaiting);
  const held = heldTask();
  const running = queue.run(held.task);
  const begun: string[] = [];
  const begin = (name: string, turn?: Turn) =>
    queue.run(async () => {
      begun.push(name);
    }, turn);
  return { queue, held, running, begun, begin };
}

describe('a fair queue', () => {
  it('runs two tasks at the same time, and the third on the connection that is free first', async () => {
    const queue = createFairQueue(['a', 'b'], 10);
    const [first, second] = [heldTask(), heldTask()];
    const turns = [
      queue.run(first.task),
      queue.run(second.task),
      queue.run(async (connection) => connection),
    ];
    expect(queue.length).toBe(3);
    second.end();
    expect(await turns[2]).toBe(await turns[1]);
    first.end();
    expect(new Set(await Promise.all(turns.slice(0, 2)))).toEqual(new Set(['a', 'b']));
    expect(queue.length).toBe(0);
  });

  it('goes on after a task that failed', async () => {
    const queue = createFairQueue(['only'], 10);
    const failing = queue.run(() => Promise.reject(new Error('no such table')));
    const next = queue.run(async (connection) => connection);
    await expect(failing).rejects.toThrow('no such table');
    expect(await next).toBe('only');
  });

  it('begins with a task that continues an earlier one, in the turn of its owner', async () => {
    const { held, begun, begin } = busyQueue();
    const turns = [
      begin('other', { owner: 'a' }),
      begin('of b', { owner: 'b' }),
      begin('continued', { owner: 'a', continues: true }),
      begin('continued by b', { owner: 'b', continues: true }),
    ];
    held.end();
    await Promise.all(turns);
    expect(begun).toEqual(['continued', 'continued by b', 'other', 'of b']);
  });

  it('refuses waiting and new tasks, while running tasks continue', async () => {
    const queue = createFairQueue(['only'], 10);
    const held = heldTask();
    const running = queue.run(held.task);
    const waiting = queue.run(async () => 'never');
    queue.refuse(new Error('closing'));
    await expect(waiting).rejects.toThrow('closing');
    await expect(queue.run(async () => 'never')).rejects.toThrow('closing');
    held.end();
    expect(await running).toBe('only');
    await queue.drained();
  });

  it('refuses further tasks while the maximum number of tasks waits', async () => {
    const queue = createFairQueue(['only'], 2);
    const held = heldTask();
    const turns = [held.task, async () => 'second', async () => 'third'].map((task) => queue.run(task));
    await expect(queue.run(async () => 'never')).rejects.toMatchObject({ failure: 'unavailable' });
    turns.push(queue.run(async () => 'background', { isBackground: true }));
    held.end();
    expect(await Promise.all(turns)).toEqual(['only', 'second', 'third', 'background']);
    expect(await queue.run(async () => 'again')).toBe('again');
  });

  it('is drained when every earlier task has ended, successfully or not', async () => {
    const queue = createFairQueue(['only'], 10);
    const held = heldTask();
    const ended: string[] = [];
    const failing = queue.run(() => Promise.reject(new Error('no'))).catch(() => ended.push('failing'));
    const turn = queue.run(held.task).then(() => ended.push('held'));
    const drained = queue.drained().then(() => ended.push('drained'));
    held.end();
    await Promise.all([failing, turn, drained]);
    expect(ended).toEqual(['failing', 'held', 'drained']);
  });

  it('lets owners take turns, however many tasks one of them has waiting', async () => {
    const { held, begun, begin } = busyQueue();
    const turns = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => begin(name, { owner: 'a' })),
      ...['b1', 'b2'].map((name) => begin(name, { owner: 'b' })),
      begin('c1', { owner: 'c' }),
    ];
    held.end();
    await Promise.all(turns);
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('takes the place of a full queue from the owner with the most tasks', async () => {
    const { held, begun, begin } = busyQueue(3);
    const greedy = ['a1', 'a2', 'a3'].map((name) => begin(name, { owner: 'a' }));
    const modest = begin('b1', { owner: 'b' });
    await expect(greedy[2]).rejects.toMatchObject({ failure: 'unavailable' });
    await expect(begin('a4', { owner: 'a' })).rejects.toMatchObject({ failure: 'unavailable' });
    held.end();
    await Promise.all([...greedy.slice(0, 2), modest]);
    expect(begun).toEqual(['a1', 'b1', 'a2']);
  });

  it('never begins a task whose caller left while it waited', async () => {
    const { queue, held, begun, begin } = busyQueue(1);
    const leaving = new AbortController();
    const left = begin('left', { owner: 'a', signal: leaving.signal });
    leaving.abort();
    await expect(left).rejects.toMatchObject({ failure: 'cancelled' });
    await expect(begin('late', { signal: leaving.signal })).rejects.toMatchObject({ failure: 'cancelled' });
    // Its place in the queue is free again.
    const stayed = begin('stayed', { owner: 'a' });
    held.end();
    await stayed;
    expect(begun).toEqual(['stayed']);
    expect(queue.length).toBe(0);
  });

  it('rejects at once when the caller of a running task leaves, and keeps its connection until the task ends', async () => {
    const queue = createFairQueue(['only'], 10);
    const held = heldTask();
    const leaving = new AbortController();
    const running = queue.run(held.task, { signal: leaving.signal });
    let isNextBegun = false;
    const next = queue.run(async () => {
      isNextBegun = true;
    });
    leaving.abort();
    await expect(running).rejects.toMatchObject({ failure: 'cancelled' });
    expect(isNextBegun).toBe(false);
    expect(queue.length).toBe(2);
    held.end();
    await next;
    expect(isNextBegun).toBe(true);
  });
});
