/** Until V8 has given a function a place for what it learns, it learns nothing there; that takes some ten calls. */
const CALLS = 1_000;

/**
 * Keeps methods of texts quick in this process from now on, whatever classes extend `String`, before or after.
 *
 * To V8 an object that becomes the prototype of a class is a dictionary until a property is read of an object that
 * inherits from it, and texts, which are no objects, do not count: each `text.indexOf` in the whole process is looked
 * up from then on, and none of them is compiled into what calls it. One object that is read is enough. Such classes
 * are ours for metered searches and, since ioredis 6.0, `VerbatimString` there.
 */
export function keepStringsQuick(): void {
  const text: object = Object('');
  for (let call = 0; call < CALLS; call += 1) readMethod(text);
}

function readMethod(text: { indexOf?: unknown }): unknown {
  return text.indexOf;
}
