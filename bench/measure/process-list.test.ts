import { describe, expect, it } from 'vitest';
import { parseProcFiles, parsePsLine } from './process-list.js';

describe('the list of processes', () => {
  it.each([
    {
      stat: '4242 (node) S 17 4242 4242 0 -1 4194560 9000 0 3 0 150 25 7 9 20 0 11 0 12345 0 0',
      status: 'Name:\tnode\nVmHWM:\t   99999 kB\nVmRSS:\t   51200 kB\n',
      expected: { pid: 4242, parentPid: 17, cpuSeconds: 1.75, residentKib: 51_200 },
    },
    {
      stat: '7 (a (b) c) R 1 7 7 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 5 0 0',
      status: 'Name:\ta (b) c\n',
      expected: { pid: 7, parentPid: 1, cpuSeconds: 1, residentKib: 0 },
    },
  ])('is read from /proc: $stat', ({ stat, status, expected }) => {
    expect(parseProcFiles(stat, status)).toEqual(expected);
  });

  it.each([
    {
      line: '  12     1  2048   0:01.50',
      expected: { pid: 12, parentPid: 1, cpuSeconds: 1.5, residentKib: 2048 },
    },
    { line: '13 12 0 01:02:03', expected: { pid: 13, parentPid: 12, cpuSeconds: 3723, residentKib: 0 } },
    {
      line: '14 12 16 2-00:00:01',
      expected: { pid: 14, parentPid: 12, cpuSeconds: 172_801, residentKib: 16 },
    },
  ])('is read from ps: $line', ({ line, expected }) => {
    expect(parsePsLine(line)).toEqual(expected);
  });
});
