import { refusal, type Unread } from '../outcome.js';

/** Conditions on the query with the same meaning as a regular expression. */
export interface QueryRegex {
  readonly query: Readonly<Record<string, string | boolean>>;
  /** Placeholder of each group, by number. */
  readonly captures: ReadonlyMap<string, string>;
}

const START = /^(?:\^|\((\?:)?\^\|&\)|\((\?:)?&\|\^\))/;
const END = /(?:\$|\((\?:)?&\|\$\)|\((\?:)?\$\|&\))$/;
const ANY_VALUE = /^(\()?\.[+*]\)?$/;
const NAME = /^(?:[A-Za-z0-9_.~%-]|\\[[\].-]|%5[BbDd])+$/;
const LITERAL = /^(?:[A-Za-z0-9_~%!@,:;/ -]|\\[^A-Za-z0-9])*$/;
const SUGGESTION = 'Write "(^|&)name=value(&|$)", or "(^|&)name=([^&]+)" for any value.';

/** Reads an expression on the query like `(^|&)id=5(&|$)`. @throws {Unread} when it cannot become conditions */
export function queryCondition(expression: string): QueryRegex {
  const start = START.exec(expression);
  if (start === null) throw unfit('It can match within another parameter.');
  const end = END.exec(expression);
  const body = expression.slice(start[0].length, end === null ? undefined : end.index);
  if (body === '') throw unfit('An empty query cannot be a condition.');
  let groups = start[0].startsWith('(') && !start[0].startsWith('(?:') ? 1 : 0;
  const query = new Map<string, string | boolean>();
  const captures = new Map<string, string>();
  // "[^&]" and "." match the same within a value.
  const pairs = body.replace(/\[\^&#?\]/g, '.').split('&');
  for (const [index, pair] of pairs.entries()) {
    const equals = pair.indexOf('=');
    const name = unescaped(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    if (!NAME.test(pair.slice(0, equals === -1 ? undefined : equals))) throw unfit('It names no parameter.');
    const anyValue = ANY_VALUE.exec(value);
    const isOpen = end === null && index === pairs.length - 1;
    if (anyValue?.[1] !== undefined) {
      groups += 1;
      captures.set(String(groups), `{query.${name}}`);
    }
    if (anyValue !== null || (isOpen && value === '' && equals !== -1)) query.set(decoded(name), true);
    else if (isOpen) throw unfit('It also matches longer values.');
    else if (LITERAL.test(value)) query.set(decoded(name), decoded(unescaped(value)));
    else throw unfit('A value must be literal, or any value.');
  }
  return { query: Object.fromEntries(query), captures };
}

function unfit(reason: string): Unread {
  return refusal(`The condition on the query cannot be kept. ${reason} ${SUGGESTION}`, 'query');
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

/** Conditions compare decoded values. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
