/**
 * Gives the function that writes Unix milliseconds as `YYYY-MM-DD hh:mm:ss.SSS`, UTC. Hits come in order of time,
 * so the part down to the second is worked out once a second.
 */
export function createHitTimestamp(): (timestampMs: number) => string {
  let knownSecond = Number.NaN;
  let prefix = '';
  return (timestampMs) => {
    const second = Math.floor(timestampMs / 1000);
    if (second !== knownSecond) {
      knownSecond = second;
      prefix = `${new Date(second * 1000).toISOString().slice(0, 19).replace('T', ' ')}.`;
    }
    return prefix + String(timestampMs - second * 1000).padStart(3, '0');
  };
}
