/** Members of every line that are not shown at a terminal. */
const OMITTED = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err']);
const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** Formats a line of pino's JSON for people: time, level, message, members; an error's stack below. */
export function readableLine(json: string): string {
  const entry: Record<string, unknown> = JSON.parse(json);
  const time = new Date(Number(entry.time)).toTimeString().slice(0, 8);
  const level = (LEVELS[Number(entry.level)] ?? 'info').toUpperCase().padEnd(5);
  const members = Object.entries(entry)
    .filter(([name]) => !OMITTED.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const { stack } = Object(entry.err) as { stack?: unknown };
  const head = [time, level, entry.msg ?? '', ...members].join(' ');
  return typeof stack === 'string' ? `${head}\n${stack}\n` : `${head}\n`;
}
