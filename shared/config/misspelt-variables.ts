/** Returns the number of tolerated wrong characters. Short names resemble too many others. */
const allowedEdits = (name: string) => (name.length < 8 ? 1 : 2);

/**
 * Returns a warning for each variable of the environment that is not known and resembles a known one that is not set.
 * Does not report other variables, because most of them belong to other programs.
 */
export function misspeltVariables(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  const names = new Set(known);
  const free = known.filter((name) => (environment[name] ?? '') === '');
  return Object.keys(environment)
    .filter((name) => !names.has(name) && !isOfNpm(name))
    .flatMap((name) => {
      const likely = closest(name, free);
      return likely === undefined ? [] : [`${name} is not a variable of Waymark: did you mean ${likely}?`];
    });
}

const isOfNpm = (name: string) => name.startsWith('npm_');

function closest(given: string, candidates: readonly string[]): string | undefined {
  const name = given.toUpperCase().replace(/^WAYMARK_/, '');
  const longer = candidates.filter((candidate) => isShortened(name, candidate));
  if (longer.length === 1) return longer[0];
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const candidate of candidates) {
    const edits = editDistance(name, candidate);
    if (edits <= allowedEdits(candidate) && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) {
      best = { name: candidate, edits };
    }
  }
  return best?.name;
}

/**
 * Returns whether `name` is `candidate` without its last words, such as a unit. A single word resembles too many
 * others.
 */
const isShortened = (name: string, candidate: string) =>
  name.includes('_') && candidate.startsWith(`${name}_`);

/** Returns the number of characters to insert, remove, replace or swap with the next one (optimal string alignment). */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
