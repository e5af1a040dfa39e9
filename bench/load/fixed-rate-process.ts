import { runAtFixedRate } from './fixed-rate.js';
import { answerOrders } from './load-process.js';

answerOrders(runAtFixedRate);
