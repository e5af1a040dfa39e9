/** A machine that the addon is compiled for. */
export type ElfMachine = 'x64' | 'arm64';

/** A symbol that the file takes from another library. Offsets are positions in the file. */
export interface UndefinedSymbol {
  readonly name: string;
  /** Offset of the 32-bit position of `name` in the string table. */
  readonly nameFieldOffset: number;
  /** Offset of the 16-bit index of the required version. */
  readonly versionFieldOffset: number;
  readonly versionIndex: number;
}

/** A version of another library that the file requires, for example GLIBC_2.38 of libc.so.6. */
export interface RequiredVersion {
  readonly library: string;
  readonly name: string;
  readonly index: number;
  /** Offset of the 16-bit flags. */
  readonly flagsFieldOffset: number;
}

export interface ElfFile {
  readonly machine: ElfMachine;
  readonly undefinedSymbols: readonly UndefinedSymbol[];
  readonly requiredVersions: readonly RequiredVersion[];
}

/** Error for an addon file without the structure that its readers and edits expect. */
export class AddonFileError extends Error {
  override name = 'AddonFileError';
}

// Numbers and layouts: System V ABI, chapters 4 and 5 (ELF-64); Linux Standard Base, "Symbol Versioning".
const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const CLASS_64_BIT = 2;
const LITTLE_ENDIAN = 1;
const MACHINES: Readonly<Record<number, ElfMachine>> = { 62: 'x64', 183: 'arm64' };
const SECTION = { dynamicSymbols: 11, requiredVersions: 0x6ffffffe, symbolVersions: 0x6fffffff } as const;
const SYMBOL_BYTES = 24;
const UNDEFINED_SECTION = 0;

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  /** Index of the section with the strings of this one. */
  readonly link: number;
}

/**
 * Reads the requirements of a 64-bit little-endian shared library on other libraries.
 *
 * @throws {AddonFileError} when the file is something else, or damaged
 */
export function readElf(file: Buffer): ElfFile {
  if (file.length < 64 || !file.subarray(0, 4).equals(MAGIC)) throw new AddonFileError('not an ELF file');
  if (file[4] !== CLASS_64_BIT || file[5] !== LITTLE_ENDIAN)
    throw new AddonFileError('not 64-bit little-endian');
  const machine = MACHINES[file.readUInt16LE(0x12)];
  if (machine === undefined) throw new AddonFileError('not for x64 or arm64');
  try {
    const sections = readSections(file);
    return {
      machine,
      undefinedSymbols: readUndefinedSymbols(file, sections),
      requiredVersions: readRequiredVersions(file, sections),
    };
  } catch (error) {
    if (error instanceof RangeError) throw new AddonFileError('truncated or damaged', { cause: error });
    throw error;
  }
}

function readSections(file: Buffer): readonly Section[] {
  const start = Number(file.readBigUInt64LE(0x28));
  const entryBytes = file.readUInt16LE(0x3a);
  const count = file.readUInt16LE(0x3c);
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * entryBytes;
    return {
      type: file.readUInt32LE(at + 4),
      offset: Number(file.readBigUInt64LE(at + 0x18)),
      size: Number(file.readBigUInt64LE(at + 0x20)),
      link: file.readUInt32LE(at + 0x28),
    };
  });
}

function readUndefinedSymbols(file: Buffer, sections: readonly Section[]): UndefinedSymbol[] {
  const symbols = sectionOf(sections, SECTION.dynamicSymbols);
  const versions = sectionOf(sections, SECTION.symbolVersions);
  const strings = stringsOf(sections, symbols);
  const found: UndefinedSymbol[] = [];
  // The first symbol is always empty.
  for (let index = 1; index < symbols.size / SYMBOL_BYTES; index += 1) {
    const at = symbols.offset + index * SYMBOL_BYTES;
    if (file.readUInt16LE(at + 6) !== UNDEFINED_SECTION) continue;
    const versionFieldOffset = versions.offset + index * 2;
    found.push({
      name: textAt(file, strings.offset + file.readUInt32LE(at)),
      nameFieldOffset: at,
      versionFieldOffset,
      versionIndex: file.readUInt16LE(versionFieldOffset),
    });
  }
  return found;
}

function readRequiredVersions(file: Buffer, sections: readonly Section[]): RequiredVersion[] {
  const section = sectionOf(sections, SECTION.requiredVersions);
  const strings = stringsOf(sections, section);
  const found: RequiredVersion[] = [];
  let libraryAt = section.offset;
  for (let libraryStep = 1; libraryStep !== 0; ) {
    const library = textAt(file, strings.offset + file.readUInt32LE(libraryAt + 4));
    let versionAt = libraryAt + file.readUInt32LE(libraryAt + 8);
    for (let remaining = file.readUInt16LE(libraryAt + 2); remaining > 0; remaining -= 1) {
      found.push({
        library,
        name: textAt(file, strings.offset + file.readUInt32LE(versionAt + 8)),
        index: file.readUInt16LE(versionAt + 6),
        flagsFieldOffset: versionAt + 4,
      });
      versionAt += file.readUInt32LE(versionAt + 12);
    }
    libraryStep = file.readUInt32LE(libraryAt + 12);
    libraryAt += libraryStep;
  }
  return found;
}

function sectionOf(sections: readonly Section[], type: number): Section {
  const section = sections.find((candidate) => candidate.type === type);
  if (section === undefined) throw new AddonFileError(`no section of type 0x${type.toString(16)}`);
  return section;
}

function stringsOf(sections: readonly Section[], { link }: Section): Section {
  const strings = sections[link];
  if (strings === undefined) throw new AddonFileError('a section names strings that are absent');
  return strings;
}

function textAt(file: Buffer, offset: number): string {
  const end = file.indexOf(0, offset);
  if (offset >= file.length || end === -1) throw new AddonFileError('a name runs beyond the end of the file');
  return file.toString('latin1', offset, end);
}
