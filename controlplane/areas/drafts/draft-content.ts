import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Definition } from './definition.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);
/** Tables of paths compress well, and the time counts. */
const LEVEL = 1;

export function encodeContent(definition: Definition): Promise<Buffer> {
  return compress(JSON.stringify(definition), { level: LEVEL });
}

/** @param content as `encodeContent` made it */
export async function decodeContent(content: Uint8Array): Promise<Definition> {
  return JSON.parse((await decompress(content)).toString()) as Definition;
}
