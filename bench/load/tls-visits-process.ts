import { answerOrders } from './load-process.js';
import { runTlsVisits } from './tls-visits.js';

answerOrders(runTlsVisits);
