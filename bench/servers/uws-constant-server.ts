import { CONSTANT_LOCATION } from '../traffic/constant-location.js';
import { serve } from './server-process.js';
import { listenUws } from './uws-listener.js';

// The least that a redirect can cost on this HTTP library: nothing of the request is looked at.
await serve(() =>
  listenUws((response) => {
    response.writeStatus('301 Moved Permanently').writeHeader('Location', CONSTANT_LOCATION).end();
  }),
);
