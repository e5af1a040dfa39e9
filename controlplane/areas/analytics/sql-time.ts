/** Converts a DateTime or a Date of UTC to Unix time in milliseconds, whatever the server's time zone. */
export function unixMs(time: string): string {
  return `toInt64(toUnixTimestamp(toDateTime(${time}, 'UTC'))) * 1000`;
}
