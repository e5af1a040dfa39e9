import { describe, expect, it } from 'vitest';
import { readUsage, usageOfTree } from './process-usage.js';

describe('the usage of a tree of processes', () => {
  const rows = [
    { pid: 1, parentPid: 0, cpuSeconds: 1, residentKib: 1024 },
    { pid: 3, parentPid: 2, cpuSeconds: 4, residentKib: 4096 },
    { pid: 2, parentPid: 1, cpuSeconds: 2, residentKib: 2048 },
    { pid: 9, parentPid: 0, cpuSeconds: 8, residentKib: 8192 },
  ];

  it('holds children of children and nobody else', () => {
    expect(usageOfTree(rows, 1)).toEqual({ cpuSeconds: 7, residentMib: 7 });
  });

  it('does not exist without its root', () => {
    expect(() => usageOfTree(rows, 5)).toThrow('process 5 is gone');
  });

  it('equals the usage that this process reports for itself', async () => {
    const before = process.cpuUsage();
    const usage = await readUsage(process.pid);
    // The system counts in hundredths of a second.
    expect(usage.cpuSeconds).toBeGreaterThan((before.user + before.system) / 1e6 - 0.05);
    expect(usage.residentMib).toBeGreaterThan(10);
  });
});
