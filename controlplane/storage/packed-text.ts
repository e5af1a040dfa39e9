import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);
/** JSON of rows and tables compresses well even at a low level, and speed matters. */
const LEVEL = 1;

/** Compresses a text for storage. */
export function packText(text: string): Promise<Buffer> {
  return compress(text, { level: LEVEL });
}

export async function unpackText(packed: Uint8Array): Promise<string> {
  return (await decompress(packed)).toString();
}
