import { RE2JS, RE2JSSyntaxException } from 're2js';

/**
 * Maximum program size in instructions. A literal of 512 characters makes 514. A search can take this many steps per
 * character.
 */
const MAX_PROGRAM_SIZE = 1_000;

export type CompiledPattern =
  | { readonly ok: true; readonly program: RE2JS }
  | { readonly ok: false; readonly fault: string };

/** Compiles a pattern. `fault` completes a sentence that begins with the pattern. */
export function compilePattern(source: string): CompiledPattern {
  try {
    const program = RE2JS.compile(source);
    const size = program.programSize();
    if (size <= MAX_PROGRAM_SIZE) return { ok: true, program };
    return {
      ok: false,
      fault: `expands to ${size} steps, of which ${MAX_PROGRAM_SIZE} are accepted: give smaller repeat counts`,
    };
  } catch (error) {
    const reason = error instanceof RE2JSSyntaxException ? reasonOf(error) : 'it is too complex';
    return { ok: false, fault: `is not RE2 syntax: ${reason}` };
  }
}

/**
 * Returns why `source` is not usable, as the rest of a sentence that begins with the pattern. Returns undefined if it
 * is usable.
 */
export function patternFault(source: string): string | undefined {
  const compiled = compilePattern(source);
  return compiled.ok ? undefined : compiled.fault;
}

function reasonOf(error: RE2JSSyntaxException): string {
  const part = error.getPattern();
  return part === null ? error.getDescription() : `${error.getDescription()} in ${part}`;
}
