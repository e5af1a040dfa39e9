/** Returns `text` as `PascalCase`. Everything except letters and digits separates words. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

export function camelCase(text: string): string {
  const name = pascalCase(text);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Returns the singular of an English plural, and any other word unchanged. */
export function singular(word: string): string {
  if (/(ss|us|is|series|stats|analytics)$/i.test(word)) return word;
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, 'y');
  if (/(ss|sh|ch|x)es$/.test(word)) return word.replace(/es$/, '');
  return word.replace(/s$/, '');
}

export const isPlural = (word: string) => singular(word) !== word;
