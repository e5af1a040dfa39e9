import { ATTRIBUTES, isSingleText, type SingleTextAttribute, type Visitor } from '../attributes.js';
import { comparableText } from '../comparable-text.js';
import { operandEnds } from '../conditions/operands.js';
import { conditionFault } from '../conditions/read-condition.js';
import { readReferrerDomains } from '../read-attribute.js';
import type { RuleCondition, RuleDefinition } from '../rule-definition.js';
import type { FindLookup } from './lookup.js';
import { PrefixSet } from './prefix-set.js';
import type { Key } from './requirement.js';
import type { Source } from './source.js';

/** Represents a text that begins with none of the prefixes. */
const NO_PREFIX = 0;
const NO_VALUES: readonly Key[] = [];

type PlainText = SingleTextAttribute | 'referrer_domain';

/**
 * Creates the lookups of `starts_with`. The looked-up value is the longest of all prefixes that the visitor's text
 * begins with. It satisfies the conditions on itself and on all shorter prefixes that it begins with.
 */
export function startLookups(rules: readonly RuleDefinition[]): FindLookup {
  const starts = new Map<PlainText, { readonly prefixes: PrefixSet; readonly source: Source }>();
  for (const [attribute, texts] of prefixTexts(rules)) {
    const prefixes = new PrefixSet(texts);
    starts.set(attribute, { prefixes, source: startSource(attribute, prefixes) });
  }
  return (condition) => {
    const { attribute } = condition;
    const start = isPlainText(attribute) ? starts.get(attribute) : undefined;
    const keys = start?.prefixes.extensionsOf(prefixIn(condition)) ?? [];
    if (start === undefined || keys.length === 0) return undefined;
    return { source: start.source, requirement: { keys, isComplement: false, allowsMissing: false } };
  };
}

function prefixTexts(rules: readonly RuleDefinition[]): Map<PlainText, string[]> {
  const byAttribute = new Map<PlainText, string[]>();
  for (const { conditions } of rules) {
    for (const condition of conditions) {
      const { attribute, operator } = condition;
      if (operator !== 'starts_with' || !isPlainText(attribute) || conditionFault(condition) !== undefined)
        continue;
      const texts = byAttribute.get(attribute);
      if (texts === undefined) byAttribute.set(attribute, [prefixIn(condition)]);
      else texts.push(prefixIn(condition));
    }
  }
  return byAttribute;
}

/** Versions begin with segments, and languages ignore case. */
function isPlainText(attribute: RuleCondition['attribute']): attribute is PlainText {
  if (attribute === 'referrer_domain') return true;
  return isSingleText(attribute) && ATTRIBUTES[attribute].type === 'string' && attribute !== 'language';
}

function prefixIn(condition: RuleCondition): string {
  return comparableText(condition.attribute, operandEnds(condition)[0]);
}

function startSource(attribute: PlainText, prefixes: PrefixSet): Source {
  if (attribute === 'referrer_domain') return domainStartSource(prefixes);
  const readText = ATTRIBUTES[attribute].read;
  const read = (visitor: Visitor) => {
    const text = readText(visitor);
    return text === undefined ? undefined : (prefixes.longestOf(text) ?? NO_PREFIX);
  };
  return { kind: 'one', attribute, name: `start of ${attribute}`, keptLength: prefixes.length, read };
}

function domainStartSource(prefixes: PrefixSet): Source {
  const read = (visitor: Visitor) => {
    const domains = readReferrerDomains(visitor);
    if (domains.length === 0) return NO_VALUES;
    return domains.map((domain) => prefixes.longestOf(domain) ?? NO_PREFIX);
  };
  const attribute = 'referrer_domain';
  return { kind: 'any', attribute, name: `start of ${attribute}`, keptLength: prefixes.length, read };
}
