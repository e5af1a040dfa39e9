import { decimalOf } from './decimal.js';
import { isInOrder, type OrderOperator } from './operators.js';
import { compareVersions, orderedPartOf } from './version.js';

/** Whether a text is a decimal number in the order that `operator` asks for. */
export function numberTest(operator: OrderOperator, first: string, last: string): (text: string) => boolean {
  const firstNumber = Number(first);
  const lastNumber = Number(last);
  return (text) => {
    const number = decimalOf(text);
    return isInOrder(operator, number - firstNumber, number - lastNumber);
  };
}

/** Whether a text begins with a version in the order that `operator` asks for. */
export function versionTest(operator: OrderOperator, first: string, last: string): (text: string) => boolean {
  return (text) => {
    const version = orderedPartOf(text);
    return (
      version !== undefined &&
      isInOrder(
        operator,
        compareVersions(version, first),
        operator === 'between' ? compareVersions(version, last) : 0,
      )
    );
  };
}
