import type { Schemas } from '@waymark/client';
import { localTime } from '../../components/times';

/** An example while it is edited. */
export type EditedExample = ReturnType<typeof valuesOf>;

export function valuesOf(example: Schemas.Example | undefined, host: string) {
  const { request, expect } = example ?? { request: { url: `https://${host}/` }, expect: {} };
  return {
    name: example?.name ?? '',
    url: request.url,
    country: request.userAttributes?.country ?? '',
    device: (request.userAttributes?.device_type ?? '') as '' | 'desktop' | 'mobile' | 'tablet',
    language: request.headers?.['accept-language'] ?? '',
    userAgent: request.headers?.['user-agent'] ?? '',
    at: localTime(request.at),
    kind: expect.noMatch ? ('noMatch' as const) : ('answer' as const),
    statusCode: String(expect.statusCode ?? ''),
    location: expect.location ?? '',
    ruleName: expect.ruleName ?? '',
  };
}

/** Returns the example as the API takes it. Members that the form does not show are kept from the former one. */
export function exampleOf(values: EditedExample, former: Schemas.Example | undefined): Schemas.Example {
  const headers = filled({
    ...former?.request.headers,
    'accept-language': values.language,
    'user-agent': values.userAgent,
  });
  const userAttributes = filled({
    ...former?.request.userAttributes,
    country: values.country.toUpperCase(),
    device_type: values.device,
  });
  const { headers: _, userAttributes: __, at: ___, ...kept } = former?.request ?? { url: '' };
  return {
    name: values.name,
    request: {
      ...kept,
      url: values.url,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(userAttributes).length > 0 && { userAttributes }),
      ...(values.at !== '' && { at: new Date(values.at).toISOString() }),
    },
    expect:
      values.kind === 'noMatch'
        ? { noMatch: true }
        : {
            ...(values.statusCode !== '' && { statusCode: Number(values.statusCode) }),
            ...filled({ location: values.location, ruleName: values.ruleName }),
          },
  };
}

/** Returns the field of the form that shows a problem of a member of the API, such as `examples.3.request.url`. */
export function fieldOf(path: string): string {
  const [, , part = '', member = '', detail = ''] = path.split('.');
  if (part !== 'request' && part !== 'expect') return part;
  if (member === 'headers') return detail === 'user-agent' ? 'userAgent' : 'language';
  if (member === 'userAttributes') return detail === 'country' ? 'country' : 'device';
  return member || (part === 'request' ? 'url' : 'location');
}

function filled(record: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.entries(record).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
