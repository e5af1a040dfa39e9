/** A DateTime or a Date of UTC as Unix time in milliseconds, whatever time zone the server is in. */
export function unixMs(time: string): string {
  return `toInt64(toUnixTimestamp(toDateTime(${time}, 'UTC'))) * 1000`;
}
