/** The head of an answer. */
export interface Answer {
  readonly status: number;
  readonly location: string;
}

const HEAD_END = '\r\n\r\n';

/**
 * Reads successive answers on one connection.
 *
 * @returns a function that takes received text, as latin1
 */
export function createAnswerReader(onAnswer: (answer: Answer) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    rest += text;
    let offset = 0;
    for (;;) {
      const headEnd = rest.indexOf(HEAD_END, offset);
      if (headEnd === -1) break;
      const head = rest.slice(offset, headEnd);
      const end = headEnd + HEAD_END.length + Number(field(head, 'content-length') || 0);
      if (end > rest.length) break;
      offset = end;
      onAnswer({ status: Number(head.slice(9, 12)), location: field(head, 'location') });
    }
    rest = rest.slice(offset);
  };
}

function field(head: string, name: string): string {
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trimEnd() ?? '';
}
