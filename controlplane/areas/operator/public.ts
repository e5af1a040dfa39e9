/** Everything that other areas and the composition root may import from this area. */

export { createOperator } from './operator.js';
export { operatorLog } from './operator-log.js';
