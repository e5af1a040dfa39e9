import { keepStringsQuick } from '../../shared/process/quick-strings.js';
import { measureDecisions, type Pace } from './decision-cost.js';
import type { WorkloadName } from './rule-workload.js';

// A process of its own: what other scenarios have done to the heap and to compiled code has no part in the figures.
// Arguments: the workload, the number of rules and the pace as JSON. Prints the cost as JSON.
const [name = '', ruleCount = '', pace = ''] = process.argv.slice(2);
const collectGarbage = globalThis.gc;
if (collectGarbage === undefined) throw new Error('start with --expose-gc');
keepStringsQuick(); // as the data plane does
const cost = measureDecisions(
  name as WorkloadName,
  Number(ruleCount),
  JSON.parse(pace) as Pace,
  collectGarbage,
);
console.log(JSON.stringify(cost));
