import { createHash } from 'node:crypto';
import { AddonFileError, readElf } from './elf-file.js';
import { lowerGlibcRequirement } from './glibc-requirement.js';
import { setKeepAlive } from './keep-alive.js';

/**
 * SHA-256 of the Linux binaries in `@btc-vision/uwebsockets.js@20.57.0`, by file name. The edits in this folder were
 * tried on these files only.
 */
const EDITABLE: Readonly<Record<string, string>> = {
  'uws_linux_arm64_115.node': '6bdbc8ff976b4371af1906175e9025804bacc38a414969f4f02314e6b99f206c',
  'uws_linux_arm64_127.node': '82b79bd18d1e3563de336156005bd01b7f39fc387b65173d69a29da4ee79f895',
  'uws_linux_arm64_137.node': '88618b30ddf6b2b62310db89f40a701616676352aac5e0f6184dd8ef876199ce',
  'uws_linux_arm64_141.node': '81d0186dd1549ed6a7f47e68e323573fc27d69d2920527654ce2dd993af2b0ec',
  'uws_linux_x64_115.node': '5b126ee00bf754b02e97e4c27090365a8562c5820c93f93918ac2212d4503e91',
  'uws_linux_x64_127.node': '4b55b1f2cb7a7913febbb65a89496412b96af77e838552980092ba6b33723aac',
  'uws_linux_x64_137.node': '98128405dba2fb608448e921a979530f70c946a2cc9889c15f2fa70c2d00ab05',
  'uws_linux_x64_141.node': '813d788b347c6fd76b779d8932311ec05a044e612b4b83af220f16e6ea789683',
};

/**
 * SHA-256 of the Node 20 binaries in `uwebsockets@3.0.6`. They answer 505 when a request line arrives in two TCP
 * segments (https://github.com/uNetworking/uWebSockets/issues/1776).
 */
const DEFECTIVE: ReadonlySet<string> = new Set([
  '034e0fcccdc08f90df3b130f421516311831b1352fe38eab91abc2984c2fdf3a',
  'f4fa5d7b697529b45ac8aa3d57385d9af51bc1d2b26aa9f5b68ca4361542e665',
]);

/** Verdict on a binary: `editable`, `defective` or `unknown`. */
export type AddonKnowledge = 'editable' | 'defective' | 'unknown';

/** @param sha256 of the file, in lower-case hexadecimal */
export function knowledgeOf(fileName: string, sha256: string): AddonKnowledge {
  if (DEFECTIVE.has(sha256)) return 'defective';
  return EDITABLE[fileName] === sha256 ? 'editable' : 'unknown';
}

const HEAD = 'HTTP/1.1 505 HTTP Version Not Supported\r\nConnection: close\r\n';
const COMPILED = `${HEAD}\r\n<h1>HTTP Version Not Supported</h1><p>This server does not support HTTP/1.0.</p><hr><i>uWebSockets/20 Server</i>`;
const TEXT = `${HEAD}Content-Type: text/plain\r\n\r\nHTTP/1.1 is required. In nginx: proxy_http_version 1.1;`;

/**
 * Result of preparing the addon. `edited`: load the edited file. `unedited`: load the file; its binary cannot be
 * edited. `defective`: do not load it.
 */
export type AddonPreparation = 'edited' | 'unedited' | 'defective';

/**
 * Edits a binary of uWebSockets.js before it is loaded: it loads with glibc 2.36 or newer, keeps idle connections open
 * for `keepAliveSeconds`, and its answer 505 names the fix.
 *
 * @param file edited in place; a binary that is not known stays unchanged
 * @throws {AddonFileError} when a known file does not have what the edits replace
 */
export function prepareAddon(file: Buffer, fileName: string, keepAliveSeconds: number): AddonPreparation {
  const sha256 = createHash('sha256').update(file).digest('hex');
  const knowledge = knowledgeOf(fileName, sha256);
  if (knowledge !== 'editable') return knowledge === 'defective' ? 'defective' : 'unedited';
  const elf = readElf(file);
  lowerGlibcRequirement(file, elf);
  setKeepAlive(file, elf.machine, keepAliveSeconds);
  explainVersionAnswer(file);
  return 'edited';
}

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
  // The length is compiled in, so spaces fill the rest.
  file.write(`${TEXT.padEnd(COMPILED.length - 1)}\n`, at, 'latin1');
}
