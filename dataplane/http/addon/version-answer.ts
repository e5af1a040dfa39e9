import { AddonFileError } from './elf-file.js';

const HEAD = 'HTTP/1.1 505 HTTP Version Not Supported\r\nConnection: close\r\n';
const COMPILED = `${HEAD}\r\n<h1>HTTP Version Not Supported</h1><p>This server does not support HTTP/1.0.</p><hr><i>uWebSockets/20 Server</i>`;
const TEXT = `${HEAD}Content-Type: text/plain\r\n\r\nHTTP/1.1 is required. In nginx: proxy_http_version 1.1;`;

/**
 * Replaces the addon's answer to a request that is not HTTP/1.1 by one that names the setting of nginx to change.
 *
 * @param file edited in place
 * @throws {AddonFileError} when the answer is not found exactly once; then `file` is unchanged
 */
export function explainVersionAnswer(file: Buffer): void {
  const at = file.indexOf(COMPILED, 'latin1');
  if (at === -1 || file.includes(COMPILED, at + 1, 'latin1')) {
    throw new AddonFileError('the answer 505 is not found exactly once');
  }
  // The length is compiled in, so spaces fill what is left.
  file.write(`${TEXT.padEnd(COMPILED.length - 1)}\n`, at, 'latin1');
}
