/** Whether a language tag, in any case, is one of `values` as a whole or by its primary subtag. */
export function languageTest(values: readonly string[]): (tag: string) => boolean {
  const languages = new Set(values.map((value) => value.toLowerCase()));
  return (tag) => {
    const lowerCase = tag.toLowerCase();
    if (languages.has(lowerCase)) return true;
    const hyphen = lowerCase.indexOf('-');
    return hyphen !== -1 && languages.has(lowerCase.slice(0, hyphen));
  };
}

/** Whether a language tag begins with `start`, both in any case. */
export function languageStartTest(start: string): (tag: string) => boolean {
  const lowerCase = start.toLowerCase();
  return (tag) => tag.toLowerCase().startsWith(lowerCase);
}
