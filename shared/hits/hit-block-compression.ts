import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  constants,
} from 'node:zlib';

/** No block of hits is larger, so that nothing compressed can grow beyond it. A producer's are a quarter of it. */
export const MAX_BLOCK_BYTES = 16 * 1024 * 1024;

/** The name of the form in HTTP, which ClickHouse takes as it is. */
export const BLOCK_ENCODING = 'br';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Brotli at its quickest, with a window of 256 KiB: shared/decisions/0006-hits-as-native-blocks.md has the others. */
export const QUICKEST: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 18 },
  chunkSize: 256 * 1024,
};

/** Compresses a block, on another thread. */
export async function compressBlock(block: Uint8Array): Promise<Uint8Array> {
  return compress(block, QUICKEST);
}

/** Compresses a block at once, in some milliseconds. */
export function compressBlockNow(block: Uint8Array): Uint8Array {
  return brotliCompressSync(block, QUICKEST);
}

/**
 * The block behind compressed bytes, on another thread.
 *
 * @throws when they are damaged, or what they stand for is larger than `MAX_BLOCK_BYTES`
 */
export async function decompressBlock(compressed: Uint8Array): Promise<Uint8Array> {
  return decompress(compressed, { maxOutputLength: MAX_BLOCK_BYTES, chunkSize: 1024 * 1024 });
}
