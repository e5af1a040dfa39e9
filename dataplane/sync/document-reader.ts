import { hasCompressedChunks } from '../../shared/ruleset/ruleset-codec.js';
import { decodeDocumentHead } from '../../shared/ruleset/ruleset-document.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { ColdRedirects } from './cold/cold-redirects.js';
import { createRulesetIntake } from './ruleset-intake.js';

const NEWLINE = 0x0a;
/** The manifest has some 80 bytes for each 2,000 redirects. */
const MAX_HEAD_BYTES = 16 * 1024 * 1024;
const CUT_OFF = 'it ends before its last chunk';

/** A body whose bytes can be read in any lengths. */
class Pieces {
  private held: Buffer = Buffer.alloc(0);
  private received = 0;

  constructor(
    private readonly body: AsyncIterator<Uint8Array>,
    private readonly maxBytes: number,
  ) {}

  /** @throws when the body ends earlier, or is too long */
  async take(length: number): Promise<Buffer> {
    const parts = [this.held];
    let bytes = this.held.length;
    while (bytes < length) {
      const piece = await this.more();
      parts.push(piece);
      bytes += piece.length;
    }
    return this.split(parts, length);
  }

  /** @returns everything up to the next newline, including it */
  async takeLine(): Promise<Buffer> {
    const parts = [this.held];
    let bytes = 0;
    for (let last = this.held; !last.includes(NEWLINE); parts.push(last)) {
      bytes += last.length;
      if (bytes > MAX_HEAD_BYTES) throw new Error('its first line is too long');
      last = await this.more();
    }
    const whole = Buffer.concat(parts);
    return this.split([whole], whole.indexOf(NEWLINE) + 1);
  }

  async isAtEnd(): Promise<boolean> {
    return this.held.length === 0 && (await this.body.next()).done === true;
  }

  private split(parts: readonly Buffer[], at: number): Buffer {
    const whole = Buffer.concat(parts);
    this.held = whole.subarray(at);
    return whole.subarray(0, at);
  }

  private async more(): Promise<Buffer> {
    const { done, value } = await this.body.next();
    if (done === true) throw new Error(CUT_OFF);
    this.received += value.length;
    if (this.received > this.maxBytes) throw new Error(`it is longer than ${this.maxBytes} bytes`);
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}

/**
 * Reads a ruleset document as it arrives, chunk by chunk.
 *
 * @param onRefused called for redirects that are left out, with host and field
 * @throws when the document is incomplete or damaged
 */
export async function readDocument(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onRefused: (problem: string) => void,
): Promise<RulesetSnapshot<ColdRedirects>> {
  const source = body[Symbol.asyncIterator]();
  try {
    const pieces = new Pieces(source, maxBytes);
    const { manifest, sizes } = decodeDocumentHead((await pieces.takeLine()).toString('utf8'));
    const intake = createRulesetIntake(hasCompressedChunks(manifest), onRefused);
    for (const [index, size] of sizes.entries()) {
      await intake.take(await pieces.take(size), manifest.chunks[index]);
    }
    if (!(await pieces.isAtEnd())) throw new Error('it goes on after its last chunk');
    return intake.end(manifest);
  } finally {
    // Closes the connection if the document is refused before its end.
    await source.return?.();
  }
}
