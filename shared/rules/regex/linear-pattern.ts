import { RE2JS } from 're2js';
import { compilePattern } from './compile-pattern.js';
import { MeteredText } from './metered-text.js';

/**
 * Memory for the states that the engine keeps per pattern. It drops them when the memory is full, and then becomes
 * slow.
 */
const MAX_STATE_BYTES = 512 * 1024;

/** Estimated size of a compiled program. Measured: 9 KB for 21 instructions, 103 KB for 633. */
const PROGRAM_BYTES = 8 * 1024;
const INSTRUCTION_BYTES = 160;

/** Measured maximum time to compile a character or an instruction, by kind of pattern. */
const COMPILING_MS = { ordinary: 0.01, ofWideClasses: 0.2 };
/** Classes that can hold thousands of characters, which are expensive to fold and to unite. */
const WIDE_CLASS = /\\[pPx]|[^\x20-\x7e]/;

/** Replaces a pattern that does not compile. It matches no text. */
const NOTHING = '[^\\x{0}-\\x{10ffff}]';

/**
 * A pattern in RE2 syntax, compiled on first use. A pattern that does not compile matches nothing. The cost of a
 * search is counted in steps, because a clock would include the time of other processes.
 */
export class LinearPattern {
  /** Number of times that the memory for states was full. Only then are searches slow. */
  overflows = 0;
  private compiles = true;
  private program: RE2JS | undefined;
  private size = 0;
  private bytesBuiltBefore = 0;
  private knownBytes = 0;

  constructor(private readonly source: string) {}

  get isPrepared(): boolean {
    return this.program !== undefined;
  }

  /** Size of all states that were computed so far, kept or dropped. */
  get builtBytes(): number {
    return this.bytesBuiltBefore + this.stateBytes();
  }

  /** Returns the maximum number of steps of a search of `text`; 0 before the pattern is prepared. */
  maxSteps(text: string): number {
    return this.size * text.length;
  }

  /**
   * Maximum time that compiling the prepared pattern can have taken, in milliseconds. Longer times include other processes.
   */
  get maxCompilingMs(): number {
    const { length } = this.source;
    const wideClassesMs = WIDE_CLASS.test(this.source) ? length * COMPILING_MS.ofWideClasses : 0;
    return Math.max(length, this.size) * COMPILING_MS.ordinary + wideClassesMs;
  }

  /**
   * Compiles the pattern: 0.1 ms usually, tens of ms at worst.
   *
   * @returns whether it compiled
   */
  prepare(): boolean {
    this.compiled();
    return this.compiles;
  }

  /** Returns whether the pattern is found in `text`, anywhere unless it is anchored. */
  test(text: string): boolean {
    return this.compiled().test(text);
  }

  /**
   * Does the same as `test`, and stops when `isOver` returns true. It is slightly slower.
   *
   * @throws {BROKEN_OFF} soon after `isOver`
   */
  testUnless(isOver: () => boolean, text: string): boolean {
    // The engine accepts String objects, although its types do not include them.
    const metered: unknown = new MeteredText(text, isOver);
    return this.compiled().test(metered as string);
  }

  /** Returns the growth of its memory since the last call, in bytes. */
  grownBytes(): number {
    if (this.program === undefined) return 0;
    const keptBytes = PROGRAM_BYTES + INSTRUCTION_BYTES * this.size + this.stateBytes();
    const grownBytes = Math.max(0, keptBytes - this.knownBytes);
    this.knownBytes += grownBytes;
    return grownBytes;
  }

  /** Frees the states. Later searches compute them again. */
  forget(): void {
    this.bytesBuiltBefore = this.builtBytes;
    this.program = undefined;
    this.knownBytes = 0;
  }

  private stateBytes(): number {
    if (this.program === undefined) return 0;
    const { stateBudget, memBudget } = this.program.re2().dfa;
    return stateBudget - memBudget;
  }

  private compiled(): RE2JS {
    if (this.program !== undefined) return this.program;
    const compiled = compilePattern(this.source);
    this.compiles = compiled.ok;
    const program = compiled.ok ? compiled.program : RE2JS.compile(NOTHING);
    this.watchStates(program);
    this.size = program.programSize();
    this.program = program;
    return program;
  }

  private watchStates(program: RE2JS): void {
    const { dfa } = program.re2();
    dfa.stateBudget = MAX_STATE_BYTES;
    dfa.memBudget = MAX_STATE_BYTES;
    const clearCache = dfa.clearCache.bind(dfa);
    dfa.clearCache = () => {
      this.overflows += 1;
      this.bytesBuiltBefore = this.builtBytes;
      clearCache();
    };
  }
}
