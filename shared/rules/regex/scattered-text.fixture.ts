/** Letters a and b in an order that no engine can profit from by remembering; always the same. */
export function scatteredText(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 0 ? 'a' : 'b';
  }).join('');
}
