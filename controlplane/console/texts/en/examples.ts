import { number } from './numbers';

const count = (value: number) => (value === 1 ? '1 example' : `${number(value)} examples`);

export const examples = {
  title: 'Examples',
  lead: 'Examples are the tests of a redirect: visits, and the answers that they must get. A change that breaks one is refused, unless you force it.',
  add: 'Add example',
  run: 'Run examples',
  runDraft: 'Run on the draft',
  edit: (name: string) => `Edit ${name}`,
  deleteOne: (name: string) => `Delete ${name}`,
  deleted: (name: string) => `The example ${name} was deleted.`,
  columns: { example: 'Example', visit: 'Visit', expected: 'Expected', result: 'Result' },
  results: { passed: 'Passed', failed: 'Failed' },
  ran: (passed: number, total: number) => `${number(passed)} of ${count(total)} passed.`,
  empty: {
    title: 'No examples yet',
    body: 'Write down what must keep working, such as “/shoes leads to /footwear”. Every later change is checked against it.',
  },
  expected: {
    noMatch: 'No rule and no path matches',
    rule: (name: string) => `rule “${name}”`,
  },
  form: {
    addTitle: 'Add an example',
    editTitle: 'Edit example',
    name: 'Name',
    namePlaceholder: 'Old shop front page',
    url: 'Address',
    urlHint: 'With the host of the redirect.',
    country: 'Country',
    device: 'Device',
    language: 'Accept-Language',
    userAgent: 'User-Agent',
    at: 'At',
    atHint: 'Empty: at the time of the check.',
    kind: 'The visitor',
    kinds: { answer: 'gets this answer', noMatch: 'matches no rule and no path' },
    statusCode: 'Status code',
    location: 'Destination',
    ruleName: 'Decided by the rule',
    submit: 'Save example',
    twice: 'Another example has this name.',
  },
  broken: {
    title: (value: number) => `This change breaks ${count(value)}`,
    body: 'These visits get the expected answer now, and would no longer get it. Nothing has been changed yet.',
    keep: 'Do not change',
    force: 'Change nevertheless',
  },
} as const;
