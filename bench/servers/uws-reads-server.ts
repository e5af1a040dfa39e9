import { createHitSlot } from '../../dataplane/hits/hit-slot.js';
import { CurrentRequest } from '../../dataplane/http/current-request.js';
import { HEADER } from '../../dataplane/http/header-names.js';
import { describeVisitor } from '../../dataplane/http/visit-recorder.js';
import { VisitorAddress } from '../../shared/visitor/visitor-address.js';
import { CONSTANT_LOCATION } from '../traffic/constant-location.js';
import { serve } from './server-process.js';
import { listenUws } from './uws-listener.js';

// A lower bound for any program on this HTTP library that applies rules and records visits. It reads the same parts of
// a request as the product, with the product's own reader, and does nothing with them.
await serve(() => {
  const visit = createHitSlot();
  const request = new CurrentRequest(new VisitorAddress(['127.0.0.1']));
  return listenUws((response, uwsRequest) => {
    request.of(response, uwsRequest);
    request.framing();
    visit.host = uwsRequest.getHeader(HEADER.host);
    describeVisitor(visit, request);
    request.release();
    response.writeStatus('301 Moved Permanently').writeHeader('Location', CONSTANT_LOCATION).end();
  });
});
