import { Transform } from 'node:stream';
import { isPublished, replyEnd } from './resp-frames.js';

/** Treatment of published messages. */
export type HintTreatment = 'passed' | 'dropped' | 'garbled';

/** Number of messages by treatment. */
export interface HintCounts {
  passed: number;
  dropped: number;
  doubled: number;
  reordered: number;
}

/**
 * Filters the connection between Redis and a client. Replies pass. `treatment` decides about each published message.
 * Garbled ones are dropped, doubled, or swapped with their successor, in rotation.
 */
export function createHintFilter(treatment: () => HintTreatment, counts: HintCounts): Transform {
  let rest = Buffer.alloc(0);
  let held: Buffer | undefined;
  let turn = 0;

  function garbled(message: Buffer): Buffer[] {
    turn += 1;
    if (held !== undefined) {
      const both = [message, held];
      held = undefined;
      counts.reordered += 1;
      return both;
    }
    if (turn % 3 === 0) {
      held = message;
      return [];
    }
    if (turn % 3 === 1) {
      counts.dropped += 1;
      return [];
    }
    counts.doubled += 1;
    return [message, message];
  }

  function treated(message: Buffer): Buffer[] {
    const how = treatment();
    if (how === 'garbled') return garbled(message);
    const before = held === undefined ? [] : [held];
    held = undefined;
    counts[how] += 1;
    return how === 'dropped' ? before : [...before, message];
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      let offset = 0;
      for (let end = replyEnd(rest, 0); end !== undefined; end = replyEnd(rest, offset)) {
        const reply = Buffer.from(rest.subarray(offset, end));
        for (const one of isPublished(reply) ? treated(reply) : [reply]) this.push(one);
        offset = end;
      }
      rest = rest.subarray(offset);
      done();
    },
  });
}
