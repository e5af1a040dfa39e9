import { readFileSync } from 'node:fs';

/**
 * Preloaded into a process (`--import`), this module makes its clock jump by the milliseconds in a file, which the
 * URL names by `?file=` and which is read repeatedly. The monotonic clock stays unchanged, as when a machine's clock
 * is set.
 */
const LOOK_EVERY_MS = 100;

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const trueNow = Date.now;
let shiftMs = 0;

function look(): void {
  try {
    shiftMs = Number(readFileSync(file, 'utf8'));
  } catch {
    shiftMs = 0;
  }
}

look();
setInterval(look, LOOK_EVERY_MS).unref();
const now = () => trueNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
