import { Type } from 'typebox';
import { ERROR_CODES } from './error-codes.js';
import { BrokenExamplesSchema } from './examples-broken.js';

const codeList = Object.entries(ERROR_CODES)
  .map(([code, { status, meaning }]) => `- \`${code}\` (${status}): ${meaning}`)
  .join('\n');

/** The error envelope as it stands in the OpenAPI document. */
export const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      message: Type.String({ description: 'The problem and what the API accepts.' }),
      code: Type.Enum(Object.keys(ERROR_CODES), { description: codeList }),
      field: Type.Optional(Type.String({ description: 'Dotted path of the invalid member.' })),
    }),
    brokenExamples: Type.Optional(BrokenExamplesSchema),
  },
  { title: 'Error', description: 'The body of every error.' },
);
