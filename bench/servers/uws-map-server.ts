import { benchRedirects } from '../traffic/bench-request.js';
import { serve } from './server-process.js';
import { listenUws } from './uws-listener.js';

// The shortest program that answers the requests: one Map and one concatenation. It has no accounting and no corner
// cases.
await serve(({ redirects: { hostCount } }) => {
  const destinations = new Map(benchRedirects(hostCount).map(({ host, destination }) => [host, destination]));
  return listenUws((response, request) => {
    const destination = destinations.get(request.getHeader('host'));
    if (destination === undefined) {
      response.writeStatus('404 Not Found').end('unknown host');
      return;
    }
    response
      .writeStatus('301 Moved Permanently')
      .writeHeader('Location', `${destination + request.getUrl()}?${request.getQuery()}`)
      .end();
  });
});
