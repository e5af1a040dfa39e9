import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  constants,
} from 'node:zlib';

/**
 * Maximum size of a block of hits. It limits the result of a decompression. Blocks of a producer are at most a quarter
 * of it.
 */
export const MAX_BLOCK_BYTES = 16 * 1024 * 1024;

/** HTTP content coding of compressed blocks. ClickHouse accepts it directly. */
export const BLOCK_ENCODING = 'br';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/**
 * Brotli at its fastest, with a window of 256 KiB. shared/decisions/0006-hits-as-native-blocks.md compares other
 * settings.
 */
export const QUICKEST: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 18 },
  chunkSize: 256 * 1024,
};

/** Compresses a block on another thread. */
export async function compressBlock(block: Uint8Array): Promise<Uint8Array> {
  return compress(block, QUICKEST);
}

/** Compresses a block synchronously, in a few milliseconds. */
export function compressBlockNow(block: Uint8Array): Uint8Array {
  return brotliCompressSync(block, QUICKEST);
}

/**
 * Decompresses a block on another thread.
 *
 * @throws if the bytes are damaged, or the result is larger than `MAX_BLOCK_BYTES`
 */
export async function decompressBlock(compressed: Uint8Array): Promise<Uint8Array> {
  return decompress(compressed, { maxOutputLength: MAX_BLOCK_BYTES, chunkSize: 1024 * 1024 });
}
