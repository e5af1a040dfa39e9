/** Exports of this area for other areas and the composition root. */

export { createOperator } from './operator.js';
export { operatorLog } from './operator-log.js';
