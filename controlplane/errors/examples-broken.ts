import { Type } from 'typebox';
import { AppError } from './app-error.js';

/** An example that a change breaks. */
export interface BrokenExample {
  readonly name: string;
  /** Expected and received answer, and why it is another one. */
  readonly message: string;
}

/** All examples that a change breaks. */
export interface BrokenExamples {
  readonly count: number;
  /** The first of them. */
  readonly listed: readonly BrokenExample[];
}

/** Maximum examples in an answer. */
export const MAX_LISTED = 100;
/** Maximum length of the reason in the message of the error. */
const MAX_REASON_LENGTH = 500;

export const BrokenExamplesSchema = Type.Array(
  Type.Object(
    {
      name: Type.String({ description: 'Name of the example.' }),
      message: Type.String({
        description: 'Expected and received answer, and the reason for the difference.',
      }),
    },
    { title: 'BrokenExample' },
  ),
  { description: `Examples that pass now and would fail after the change, at most ${MAX_LISTED}.` },
);

/** Refuses a change. */
export function examplesBroken({ count, listed }: BrokenExamples): AppError {
  const [first] = listed;
  const others = count > 1 ? ` and ${count - 1} more` : '';
  const reason = shortened(first?.message ?? '');
  return new AppError('EXAMPLES_BROKEN', {
    message: `The change breaks the example ${JSON.stringify(first?.name)}${others}. ${reason} Update the examples first, or send force=true.`,
    beside: { brokenExamples: listed },
  });
}

/** URLs in reasons can be long. */
function shortened(reason: string): string {
  return reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}….` : reason;
}

/** Refuses a change whose effect on the examples takes too long to find out. */
export function examplesTooSlow(limitMs: number): AppError {
  return new AppError('EXAMPLES_BROKEN', {
    message: `The examples of this redirect could not be checked within ${limitMs} ms. Delete some of them or simplify the rules, or send force=true.`,
    beside: { brokenExamples: [] },
  });
}
