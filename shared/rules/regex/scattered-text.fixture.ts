/** Returns letters a and b in an order that defeats the engine's cache of states. Always the same. */
export function scatteredText(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 0 ? 'a' : 'b';
  }).join('');
}
