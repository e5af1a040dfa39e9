/** Number of calls after which V8 has collected type feedback for a function. V8 needs about ten. */
const CALLS = 1_000;

/**
 * Keeps string methods fast in this process, even if classes extend `String`.
 *
 * V8 turns an object into a dictionary when it becomes the prototype of a class, until a property is read through an
 * object that inherits from it. Primitive strings do not count. Each `text.indexOf` in the process then needs a lookup
 * and is never inlined. Reading a property through one `String` object is enough to prevent this. Classes that extend
 * `String` are our metered searches and, since ioredis 6.0, its `VerbatimString`.
 */
export function keepStringsQuick(): void {
  const text: object = Object('');
  for (let call = 0; call < CALLS; call += 1) readMethod(text);
}

function readMethod(text: { indexOf?: unknown }): unknown {
  return text.indexOf;
}
