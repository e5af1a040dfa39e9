import { createHash } from 'node:crypto';
import { parseDefinitionLine } from './definition-lines.js';
import type { RedirectDefinition } from './redirect-definition.js';
import {
  type DocumentHead,
  formatDigest,
  MAX_DOCUMENT_BYTES,
  parseDocumentHead,
} from './ruleset-document.js';
import type { RulesetSnapshot } from './ruleset-feed.js';

const NEWLINE = 0x0a;

/** Takes a ruleset document as it arrives, so that a long one is no long turn at its end. */
export interface DocumentReader {
  /** @throws when what has come so far is no such document, or is too long */
  push(chunk: Uint8Array): void;
  /**
   * @param digest as the sender made it with `formatDigest`
   * @throws when the document is not whole or not the one that was sent
   */
  end(digest: string): RulesetSnapshot;
}

export function createDocumentReader(maxBytes = MAX_DOCUMENT_BYTES): DocumentReader {
  const hash = createHash('sha256');
  const redirects: RedirectDefinition[] = [];
  let head: DocumentHead | undefined;
  let receivedBytes = 0;
  /** The line whose end is still to come. */
  let unfinished: Buffer[] = [];

  function take(line: string): void {
    if (head === undefined) {
      head = parseDocumentHead(line);
      return;
    }
    if (redirects.length === head.count) throw new Error('it holds more redirects than it announces');
    redirects.push(parseDefinitionLine(line));
  }

  return {
    push(chunk) {
      receivedBytes += chunk.length;
      if (receivedBytes > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
      hash.update(chunk);
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        const line = bytes.subarray(start, end);
        take((unfinished.length === 0 ? line : Buffer.concat([...unfinished, line])).toString('utf8'));
        unfinished = [];
        start = end + 1;
      }
      if (start < bytes.length) unfinished.push(bytes.subarray(start));
    },
    end(digest) {
      if (formatDigest(hash.digest()) !== digest) throw new Error('its checksum does not match');
      if (head === undefined || unfinished.length > 0) throw new Error('its last line is cut off');
      if (redirects.length !== head.count) {
        throw new Error(`it holds ${redirects.length} redirects where ${head.count} are announced`);
      }
      return { version: head.version, redirects };
    },
  };
}
