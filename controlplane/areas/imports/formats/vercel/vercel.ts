import type { ImportFormat } from '../import-format.js';
import { jsonFormat, notAnObject, type ReadItem, recordOf } from '../json-items.js';
import { OrderedPaths } from '../ordered-paths.js';
import { isRefusal, type Outcome, type Refusal, refused, skipped } from '../outcome.js';
import { readRedirect } from './vercel-redirect.js';
import { readRoute } from './vercel-route.js';

/** `redirects` and `routes` of `vercel.json`. */
export const vercel: ImportFormat = jsonFormat('vercel', (document) => {
  const config = recordOf(Array.isArray(document) ? { redirects: document } : document);
  return config === undefined
    ? ({ refusal: 'The file must be an object with the member "redirects".' } satisfies Refusal)
    : itemsOf(config);
});

function* itemsOf(config: Readonly<Record<string, unknown>>): Iterable<ReadItem> {
  const order = new OrderedPaths();
  let item = 0;
  for (const [name, value] of Object.entries(config)) {
    const read = name === 'redirects' ? readRedirect : name === 'routes' ? readRoute : undefined;
    if (read === undefined || !Array.isArray(value)) {
      item += 1;
      yield { item: { [name]: value }, outcomes: [skipped(`"${name.slice(0, 100)}" is no redirect.`)] };
      continue;
    }
    for (const one of value) {
      item += 1;
      const record = recordOf(one);
      const outcomes = record === undefined ? [notAnObject()] : read(record);
      yield { item: one, outcomes: placed(outcomes, order, item) };
    }
  }
}

function placed(outcomes: Outcome[] | Refusal, order: OrderedPaths, item: number): Outcome[] {
  if (isRefusal(outcomes)) return [refused(outcomes)];
  return outcomes.map((outcome) => order.place(outcome, item));
}
