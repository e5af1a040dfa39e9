import { createHash } from 'node:crypto';
import { parseDefinitionLine } from './definition-lines.js';
import { createLineSplitter } from './line-splitter.js';
import type { RedirectDefinition } from './redirect-definition.js';
import {
  type DocumentHead,
  formatDigest,
  MAX_DOCUMENT_BYTES,
  parseDocumentHead,
} from './ruleset-document.js';
import type { RulesetVersion } from './ruleset-version.js';

/** Takes a ruleset document as it arrives, so that a long one is no long turn at its end. */
export interface DocumentReader {
  /** @throws when what has come so far is no such document, or is too long */
  push(chunk: Uint8Array): void;
  /**
   * @param digest as the sender made it with `formatDigest`
   * @returns of which version the redirects are; until then they are not to be relied on
   * @throws when the document is not whole or not the one that was sent
   */
  end(digest: string): RulesetVersion;
}

/** @param take gets the redirects one by one, as they arrive */
export function createDocumentReader(
  take: (redirect: RedirectDefinition) => void,
  maxBytes = MAX_DOCUMENT_BYTES,
): DocumentReader {
  const hash = createHash('sha256');
  let head: DocumentHead | undefined;
  let count = 0;
  let receivedBytes = 0;
  const splitter = createLineSplitter((line) => {
    const text = line.toString('utf8');
    if (head === undefined) {
      head = parseDocumentHead(text);
      return;
    }
    if (count === head.count) throw new Error('it holds more redirects than it announces');
    take(parseDefinitionLine(text));
    count += 1;
  });

  return {
    push(chunk) {
      receivedBytes += chunk.length;
      if (receivedBytes > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
      hash.update(chunk);
      splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    },
    end(digest) {
      if (formatDigest(hash.digest()) !== digest) throw new Error('its checksum does not match');
      if (head === undefined || splitter.isCutOff) throw new Error('its last line is cut off');
      if (count !== head.count) {
        throw new Error(`it holds ${count} redirects where ${head.count} are announced`);
      }
      return head.version;
    },
  };
}
