import { Button } from '../../components/button';
import { type Bound, fieldsOf, InputField, SelectField, TextField } from '../../components/field';
import { nextKey } from '../../components/row-keys';
import type { FormState } from '../../components/use-form';
import { texts } from '../../texts/texts';
import type { EditedRule, EditedVariant } from './rule-values';

const { form: words } = texts.rules;
const MAX_VARIANTS = 10;

/** Fields for the destination of matching visitors: one URL, a share of visitors, or an A/B test. */
export function ActionFields({ form }: { readonly form: FormState<EditedRule> }) {
  const { type } = form.values;
  const field = fieldsOf(form, words);
  return (
    <>
      <SelectField bound={form.bind('type')} label={words.action} options={words.types} />
      {type === 'ab_experiment' ? (
        <Variants bound={form.bind('variants')} messageAt={form.messageAt} />
      ) : (
        <TextField {...field('url')} placeholder="https://" inputMode="url" />
      )}
      {type === 'percentage' && <TextField {...field('percentage')} inputMode="decimal" />}
      <SelectField {...field('statusCode')} options={words.statusCodes} />
    </>
  );
}

function Variants({
  bound: { value: variants, error, set: onChange },
  messageAt,
}: {
  readonly bound: Bound<readonly EditedVariant[]>;
  readonly messageAt: FormState<EditedRule>['messageAt'];
}) {
  const errors = variants.map((_, index) => messageAt(`action.variants.${index}`));
  const sum =
    Math.round(variants.reduce((total, { percentage }) => total + (Number(percentage) || 0), 0) * 100) / 100;
  const change = (key: number, changed: Partial<EditedVariant>) =>
    onChange(variants.map((variant) => (variant.key === key ? { ...variant, ...changed } : variant)));
  return (
    <div class="variants">
      {variants.map(({ key, name, url, percentage }, index) => (
        <div key={key} class="variant">
          <InputField
            label={words.variantName}
            value={name}
            onText={(value) => change(key, { name: value })}
          />
          <InputField label={words.url} value={url} onText={(value) => change(key, { url: value })} />
          <InputField
            label={words.variantShare}
            value={percentage}
            onText={(value) => change(key, { percentage: value })}
          />
          <Button
            small
            icon="trash"
            label={words.removeVariant(name)}
            disabled={variants.length <= 2}
            onClick={() => onChange(variants.filter((variant) => variant.key !== key))}
          />
          {errors[index] && (
            <p class="field-error" role="alert">
              {errors[index]}
            </p>
          )}
        </div>
      ))}
      <div class="share-bar" aria-hidden="true">
        {variants.map(({ key, percentage }) => (
          <span key={key} style={{ width: `${Math.max(0, Math.min(100, Number(percentage) || 0))}%` }} />
        ))}
      </div>
      <p class={sum === 100 ? 'quiet' : 'field-error'} aria-live="polite">
        {words.sum(sum)}
      </p>
      {error && errors.every((found) => found === undefined) && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <div class="button-row">
        <Button
          small
          icon="plus"
          disabled={variants.length >= MAX_VARIANTS}
          onClick={() =>
            onChange([
              ...variants,
              { key: nextKey(), name: nextName(variants), url: '', percentage: '0', kept: {} },
            ])
          }
        >
          {words.addVariant}
        </Button>
        <Button small onClick={() => onChange(equalShares(variants))}>
          {words.spread}
        </Button>
      </div>
    </div>
  );
}

/** Returns the first letter that no variant has as its name. */
function nextName(variants: readonly EditedVariant[]): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  return [...letters].find((letter) => variants.every(({ name }) => name !== letter)) ?? '';
}

/** Gives each variant an equal share with two decimals. The last variant gets the remainder, so the sum is 100. */
function equalShares(variants: readonly EditedVariant[]): readonly EditedVariant[] {
  const share = Math.floor(10_000 / variants.length) / 100;
  const rest = Math.round((100 - share * (variants.length - 1)) * 100) / 100;
  return variants.map((variant, index) => ({
    ...variant,
    percentage: String(index === variants.length - 1 ? rest : share),
  }));
}
