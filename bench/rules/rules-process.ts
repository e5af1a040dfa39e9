import { keepStringsQuick } from '../../shared/process/quick-strings.js';
import { answerOrders } from '../load/load-process.js';
import { measureDecisions, type RulesOrder } from './decision-cost.js';

// A process of its own: what other scenarios have done to the heap and to compiled code has no part in the figures.
const collectGarbage = globalThis.gc;
if (collectGarbage === undefined) throw new Error('start with --expose-gc');
keepStringsQuick(); // as the data plane does
answerOrders(async (order: RulesOrder) => measureDecisions(order, collectGarbage));
