import type { QueryRecording } from '../ruleset/redirect-definition.js';
import { cut } from '../visitor/cut.js';
import { ALL_NAMES, maskedQuery, maskedUrl, urlWithoutQuery } from '../visitor/query-masking.js';
import { createSecretNames } from '../visitor/secret-names.js';

/** UTF-16 units of a recorded query or URL. */
const MAX_TEXT_LENGTH = 2048;

/**
 * Converts queries and URLs into their recorded form: masked by the redirect's `queryRecording`, and cut to a maximum
 * length.
 */
export interface RecordedTexts {
  /** @param query of the request, without its question mark */
  query(query: string, recording: QueryRecording): string;
  /**
   * Returns the query from which the campaign and the parameter names are derived. It differs from the recorded query
   * if all values are masked, because a mask is not the name of a campaign.
   *
   * @param recorded the result of `query`
   */
  campaignQuery(recorded: string, recording: QueryRecording): string;
  /** @param url a destination or a referrer, as sent */
  url(url: string, recording: QueryRecording): string;
}

export function createRecordedTexts(): RecordedTexts {
  const isSecret = createSecretNames();
  const masks: Readonly<Record<Exclude<QueryRecording, 'none'>, (query: string) => string>> = {
    full: rememberingLast((query) => maskedQuery(query, isSecret)),
    names: rememberingLast((query) => maskedQuery(query, ALL_NAMES)),
  };
  // Cut before masking to bound the work, and after masking because a mask can be longer than a value.
  const bounded = (text: string) => cut(text, MAX_TEXT_LENGTH);

  return {
    query: (query, recording) =>
      query === '' || recording === 'none' ? '' : bounded(masks[recording](bounded(query))),
    campaignQuery: (recorded, recording) =>
      recording === 'names' ? maskedQuery(recorded, ALL_NAMES, '') : recorded,
    url(url, recording) {
      if (url === '') return '';
      const kept = bounded(url);
      return recording === 'none' ? urlWithoutQuery(kept) : bounded(maskedUrl(kept, masks[recording]));
    },
  };
}

/**
 * Remembers the last result. A forwarded query is masked twice in a row: in the destination and as the query of the
 * request.
 */
function rememberingLast(mask: (query: string) => string): (query: string) => string {
  let lastQuery = '';
  let lastMasked = '';
  return (query) => {
    if (query !== lastQuery) {
      lastMasked = mask(query);
      lastQuery = query;
    }
    return lastMasked;
  };
}
