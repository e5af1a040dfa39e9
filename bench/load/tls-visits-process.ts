import { answerOrder } from './load-process.js';
import { runTlsVisits } from './tls-visits.js';

answerOrder(runTlsVisits);
