import { runAtFixedRate } from './fixed-rate.js';
import { answerOrder } from './load-process.js';

answerOrder(runAtFixedRate);
