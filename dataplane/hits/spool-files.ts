import path from 'node:path';

/** A segment of the spool, from its file name. */
export interface SegmentName {
  readonly producerId: string;
  /** 1, 2, 3 … in the order of writing. */
  readonly number: number;
}

const SEGMENT_NAME = /^([a-z0-9]{12,32})\.([1-9]\d{0,9})\.spool$/;
const PRODUCER_FILE_NAME = /^([a-z0-9]{12,32})\.(?:lock|totals)$/;

/** The folder of the spool. All data planes with the same `dataDir` share it. */
export function spoolDirectory(dataDir: string): string {
  return path.join(dataDir, 'hits');
}

/** Returns undefined for files that are not segments. */
export function parseSegmentName(fileName: string): SegmentName | undefined {
  const [, producerId, number] = SEGMENT_NAME.exec(fileName) ?? [];
  if (producerId === undefined || number === undefined) return undefined;
  return { producerId, number: Number(number) };
}

/** Returns the producer of a lock file or of a file of totals; undefined for other files. */
export function producerOfFile(fileName: string): string | undefined {
  return PRODUCER_FILE_NAME.exec(fileName)?.[1];
}

export function segmentPath(directory: string, segment: SegmentName): string {
  return path.join(directory, `${segment.producerId}.${segment.number}.spool`);
}

export function lockPath(directory: string, producerId: string): string {
  return path.join(directory, `${producerId}.lock`);
}

export function totalsPath(directory: string, producerId: string): string {
  return path.join(directory, `${producerId}.totals`);
}
