import { createHash } from 'node:crypto';
import { readElf } from './elf-file.js';
import { lowerGlibcRequirement } from './glibc-requirement.js';
import { setKeepAlive } from './keep-alive.js';
import { knowledgeOf } from './known-addons.js';
import { explainVersionAnswer } from './version-answer.js';

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
