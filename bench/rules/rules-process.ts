import { keepStringsQuick } from '../../shared/process/quick-strings.js';
import { answerOrders } from '../load/load-process.js';
import { measureDecisions, type RulesOrder } from './decision-cost.js';

// A separate process: other scenarios do not affect its heap and compiled code.
const collectGarbage = globalThis.gc;
if (collectGarbage === undefined) throw new Error('start with --expose-gc');
keepStringsQuick(); // as the data plane does
answerOrders(async (order: RulesOrder) => measureDecisions(order, collectGarbage));
