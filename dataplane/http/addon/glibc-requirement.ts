import { AddonFileError, type ElfFile, type RequiredVersion } from './elf-file.js';

/** glibc 2.38 introduced these names for functions that every older version has without the prefix. */
const C23_PREFIX = '__isoc23_';
const C_LIBRARY = 'libc.so.6';
const C23_VERSION = 'GLIBC_2.38';
/** The first version of glibc on each machine; it provides all functions that are renamed here. */
const FIRST_VERSION = { x64: 'GLIBC_2.2.5', arm64: 'GLIBC_2.17' } as const;
/** `VER_FLG_WEAK`: the loader accepts a library without this version. */
const WEAK = 2;

/**
 * Makes a library that was linked against glibc 2.38 load with glibc 2.36 or 2.37.
 *
 * A compiler on glibc 2.38 links `strtol` as `__isoc23_strtol`, which differs only in reading binary literals.
 * Each such name is replaced by its own suffix, so nothing moves in the file.
 *
 * @param file edited in place
 * @throws {AddonFileError} when the library needs anything else of glibc 2.38; then `file` is unchanged
 */
export function lowerGlibcRequirement(file: Buffer, elf: ElfFile): void {
  const c23 = elf.requiredVersions.find(isOf(C23_VERSION));
  if (c23 === undefined) return;
  const first = elf.requiredVersions.find(isOf(FIRST_VERSION[elf.machine]));
  if (first === undefined) throw new AddonFileError(`no symbol of ${FIRST_VERSION[elf.machine]}`);
  const symbols = elf.undefinedSymbols.filter(({ versionIndex }) => versionIndex === c23.index);
  const other = symbols.find(({ name }) => !name.startsWith(C23_PREFIX));
  if (other !== undefined) throw new AddonFileError(`${other.name} needs ${C23_VERSION}`);

  for (const { nameFieldOffset, versionFieldOffset } of symbols) {
    file.writeUInt32LE(file.readUInt32LE(nameFieldOffset) + C23_PREFIX.length, nameFieldOffset);
    file.writeUInt16LE(first.index, versionFieldOffset);
  }
  file.writeUInt16LE(file.readUInt16LE(c23.flagsFieldOffset) | WEAK, c23.flagsFieldOffset);
}

function isOf(version: string): (required: RequiredVersion) => boolean {
  return ({ library, name }) => library === C_LIBRARY && name === version;
}
