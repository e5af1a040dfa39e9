import { describe, expect, it } from 'vitest';
import { LINUX_ADDONS, readAddon } from './elf-file.fixture.js';
import { AddonFileError, readElf } from './elf-file.js';
import { lowerGlibcRequirement } from './glibc-requirement.js';
import { setKeepAlive } from './keep-alive.js';
import { explainVersionAnswer, prepareAddon } from './prepare-addon.js';

const X64 = 'uws_linux_x64_115.node';
const ARM64 = 'uws_linux_arm64_137.node';

/** Every offset at which two buffers of the same length differ. */
function changedOffsets(one: Buffer, other: Buffer): number[] {
  expect(one.length).toBe(other.length);
  const changed: number[] = [];
  const stride = 4_096;
  for (let start = 0; start < one.length; start += stride) {
    const end = Math.min(start + stride, one.length);
    if (one.compare(other, start, end, start, end) === 0) continue;
    for (let at = start; at < end; at += 1) {
      if (one[at] !== other[at]) changed.push(at);
    }
  }
  return changed;
}

describe('reading an ELF file', () => {
  it('finds the machine, and what is needed of other libraries by name and version', () => {
    const elf = readElf(readAddon(X64));
    expect(elf.machine).toBe('x64');
    const version = elf.requiredVersions.find(({ name }) => name === 'GLIBC_2.38');
    expect(version?.library).toBe('libc.so.6');
    const needed = elf.undefinedSymbols.filter(({ versionIndex }) => versionIndex === version?.index);
    expect(needed.map(({ name }) => name).sort()).toEqual([
      '__isoc23_sscanf',
      '__isoc23_strtol',
      '__isoc23_strtoul',
    ]);
    expect(readElf(readAddon(ARM64)).machine).toBe('arm64');
  });

  it.each([
    { what: 'nothing', damage: () => Buffer.alloc(0) },
    { what: 'a script', damage: () => Buffer.from('#!/bin/sh\n'.repeat(20)) },
    { what: 'a library for macOS', damage: () => readAddon('uws_darwin_x64_115.node') },
    { what: 'a file cut in the middle', damage: (file: Buffer) => file.subarray(0, file.length / 2) },
    { what: 'the head of a file alone', damage: (file: Buffer) => file.subarray(0, 64) },
    { what: '32-bit code', damage: (file: Buffer) => patched(file, 4, 1) },
    { what: 'code for another machine', damage: (file: Buffer) => patched(file, 0x12, 40) },
    { what: 'sections beyond the end', damage: (file: Buffer) => patched(file, 0x28 + 5, 1) },
    { what: 'no sections', damage: (file: Buffer) => patched(file, 0x3c, 0) },
  ])('refuses $what', ({ damage }) => {
    expect(() => readElf(damage(readAddon(X64)))).toThrow(AddonFileError);
  });
});

function patched(file: Buffer, offset: number, byte: number): Buffer {
  file[offset] = byte;
  return file;
}

describe('lowering the required glibc', () => {
  it.each(LINUX_ADDONS)('leaves no symbol of %s that glibc 2.36 lacks', (fileName) => {
    const file = readAddon(fileName);
    lowerGlibcRequirement(file, readElf(file));
    const { undefinedSymbols, requiredVersions } = readElf(file);
    const newest = requiredVersions.find(({ name }) => name === 'GLIBC_2.38');
    expect(undefinedSymbols.filter(({ versionIndex }) => versionIndex === newest?.index)).toEqual([]);
    expect(undefinedSymbols.filter(({ name }) => name.startsWith('__isoc23_'))).toEqual([]);
    expect(undefinedSymbols.map(({ name }) => name)).toContain('strtoul');
  });

  it('marks the requirement of GLIBC_2.38 as weak, and no other', () => {
    const before = readAddon(X64);
    const after = Buffer.from(before);
    lowerGlibcRequirement(after, readElf(after));
    const flagsOf = (file: Buffer) =>
      Object.fromEntries(
        readElf(file).requiredVersions.map(({ name, flagsFieldOffset }) => [
          name,
          file.readUInt16LE(flagsFieldOffset),
        ]),
      );
    expect(flagsOf(after)).toEqual({ ...flagsOf(before), 'GLIBC_2.38': 2 });
  });

  it('refuses a library that needs another function of glibc 2.38, and leaves it as it is', () => {
    const file = readAddon(X64);
    // One more function is said to be of that version.
    const elf = readElf(file);
    const version = elf.requiredVersions.find(({ name }) => name === 'GLIBC_2.38')!;
    const other = elf.undefinedSymbols.find(({ name }) => name === 'getenv')!;
    file.writeUInt16LE(version.index, other.versionFieldOffset);
    const before = Buffer.from(file);
    expect(() => lowerGlibcRequirement(file, readElf(file))).toThrow('getenv needs GLIBC_2.38');
    expect(file.equals(before)).toBe(true);
  });

  it('changes nothing where nothing of glibc 2.38 is needed', () => {
    const file = readAddon(X64);
    const elf = readElf(file);
    const before = Buffer.from(file);
    const requiredVersions = elf.requiredVersions.filter(({ name }) => name !== 'GLIBC_2.38');
    lowerGlibcRequirement(file, { ...elf, requiredVersions });
    expect(file.equals(before)).toBe(true);
  });
});

describe('setting the keep-alive', () => {
  it.each(LINUX_ADDONS)('changes six operands of %s and nothing else', (fileName) => {
    const before = readAddon(fileName);
    const after = Buffer.from(before);
    // 4,001 ms: each operand differs in one byte.
    setKeepAlive(after, readElf(after).machine, 28.007);
    expect(changedOffsets(before, after)).toHaveLength(6);
  });

  it('is what is compiled in at 28 seconds', () => {
    for (const fileName of [X64, ARM64]) {
      const file = readAddon(fileName);
      setKeepAlive(file, readElf(file).machine, 28);
      expect(file.equals(readAddon(fileName))).toBe(true);
    }
  });

  it.each([
    { seconds: 75, word: 0x52853b62 }, // movz w2, #10715
    { seconds: 458, word: 0x529ff2a2 }, // movz w2, #65429
    { seconds: 459, word: 0x52a00042 }, // movz w2, #2, lsl #16
    { seconds: 3_600, word: 0x52a00102 }, // movz w2, #8, lsl #16
  ])('of $seconds seconds is encoded for arm64', ({ seconds, word }) => {
    const before = readAddon(ARM64);
    const after = Buffer.from(before);
    setKeepAlive(after, 'arm64', seconds);
    const [at = 0] = changedOffsets(before, after);
    const start = at - (at % 4);
    expect(after.readUInt32LE(start)).toBe(word);
  });

  it.each([X64, ARM64])('refuses %s when one of the places is gone, and leaves it as it is', (fileName) => {
    const file = readAddon(fileName);
    const { machine } = readElf(file);
    const probe = Buffer.from(file);
    setKeepAlive(probe, machine, 28.007);
    const [first = 0] = changedOffsets(file, probe);
    file[first] = 0xff;
    const before = Buffer.from(file);
    expect(() => setKeepAlive(file, machine, 75)).toThrow('at 2 places, not 3');
    expect(file.equals(before)).toBe(true);
  });
});

describe('the answer 505', () => {
  it('names the setting of nginx, in as many bytes', () => {
    const before = readAddon(X64);
    const after = Buffer.from(before);
    explainVersionAnswer(after);
    const at = after.indexOf('HTTP/1.1 505');
    expect(after.toString('latin1', at, at + 174)).toMatch(
      /^HTTP\/1\.1 505 [^\r]+\r\nConnection: close\r\nContent-Type: text\/plain\r\n\r\n.*proxy_http_version 1\.1; *\n$/,
    );
    expect(after[at + 174]).toBe(0);
    const changed = changedOffsets(before, after);
    expect(changed.every((offset) => offset > at && offset < at + 174)).toBe(true);
  });

  it('is not replaced twice', () => {
    const file = readAddon(X64);
    explainVersionAnswer(file);
    expect(() => explainVersionAnswer(file)).toThrow(AddonFileError);
  });
});

describe('preparing the addon', () => {
  it.each(LINUX_ADDONS)('edits %s of the installed package', (fileName) => {
    const file = readAddon(fileName);
    expect(prepareAddon(file, fileName, 75)).toBe('edited');
    expect(file.equals(readAddon(fileName))).toBe(false);
  });

  it.each(['uws_darwin_arm64_137.node', 'uws_win32_x64_137.node'])('leaves %s as it is', (fileName) => {
    const file = readAddon(fileName);
    expect(prepareAddon(file, fileName, 75)).toBe('unedited');
    expect(file.equals(readAddon(fileName))).toBe(true);
  });

  it('leaves a file that differs in one byte as it is', () => {
    const file = readAddon(X64);
    file[file.length - 1] = (file.at(-1) ?? 0) ^ 1;
    const before = Buffer.from(file);
    expect(prepareAddon(file, X64, 75)).toBe('unedited');
    expect(file.equals(before)).toBe(true);
  });
});
