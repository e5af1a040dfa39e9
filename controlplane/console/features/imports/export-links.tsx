import { Card } from '../../components/layout';
import { addressOf } from '../../data/request';

/** Links to files with all redirects or all paths. */
export function ExportLinks({
  words,
  path,
}: {
  readonly words: {
    readonly title: string;
    readonly lead: string;
    readonly formats: Readonly<Record<string, string>>;
  };
  /** Path of the export in the API. */
  readonly path: string;
}) {
  return (
    <Card title={words.title} lead={words.lead}>
      <div class="button-row">
        {Object.entries(words.formats).map(([format, name]) => (
          <a
            key={format}
            class="button button-secondary button-small"
            href={addressOf(`${path}?format=${format}`)}
            download
          >
            {name}
          </a>
        ))}
      </div>
    </Card>
  );
}
