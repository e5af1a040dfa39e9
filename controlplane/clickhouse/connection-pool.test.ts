import { describe, expect, it } from 'vitest';
import { createConnectionPool } from './connection-pool.js';

/** A task that ends when it is told to. */
function heldTask() {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end: () => end(), task: (connection: string) => held.then(() => connection) };
}

describe('a pool of two connections', () => {
  it('runs two tasks at once and the third on what is free first', async () => {
    const pool = createConnectionPool(['a', 'b'], 10);
    const [first, second] = [heldTask(), heldTask()];
    const turns = [pool.run(first.task), pool.run(second.task), pool.run(async (connection) => connection)];
    expect(pool.length).toBe(3);
    second.end();
    expect(await turns[2]).toBe(await turns[1]);
    first.end();
    expect(new Set(await Promise.all(turns.slice(0, 2)))).toEqual(new Set(['a', 'b']));
    expect(pool.length).toBe(0);
  });

  it('goes on after a task that failed', async () => {
    const pool = createConnectionPool(['only'], 10);
    const failing = pool.run(() => Promise.reject(new Error('no such table')));
    const next = pool.run(async (connection) => connection);
    await expect(failing).rejects.toThrow('no such table');
    expect(await next).toBe('only');
  });

  it('refuses what waits and what comes, while what runs goes on', async () => {
    const pool = createConnectionPool(['only'], 10);
    const held = heldTask();
    const running = pool.run(held.task);
    const waiting = pool.run(async () => 'never');
    pool.refuse(new Error('closing'));
    await expect(waiting).rejects.toThrow('closing');
    await expect(pool.run(async () => 'never')).rejects.toThrow('closing');
    held.end();
    expect(await running).toBe('only');
    await pool.drained();
  });

  it('lets as many wait as may, and refuses those that come on top as long as that is so', async () => {
    const pool = createConnectionPool(['only'], 2);
    const held = heldTask();
    const turns = [held.task, async () => 'second', async () => 'third'].map((task) => pool.run(task));
    await expect(pool.run(async () => 'never')).rejects.toMatchObject({ failure: 'unavailable' });
    turns.push(pool.run(async () => 'patient', true));
    held.end();
    expect(await Promise.all(turns)).toEqual(['only', 'second', 'third', 'patient']);
    expect(await pool.run(async () => 'again')).toBe('again');
  });

  it('is drained when what it was given has ended, well or not', async () => {
    const pool = createConnectionPool(['only'], 10);
    const held = heldTask();
    const ended: string[] = [];
    const failing = pool.run(() => Promise.reject(new Error('no'))).catch(() => ended.push('failing'));
    const turn = pool.run(held.task).then(() => ended.push('held'));
    const drained = pool.drained().then(() => ended.push('drained'));
    held.end();
    await Promise.all([failing, turn, drained]);
    expect(ended).toEqual(['failing', 'held', 'drained']);
  });
});
