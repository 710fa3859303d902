import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateLimitError, TemplateRuntimeError } from '../template-errors.js';
import { toTemplateDictKey } from '../values/compare-values.js';
import {
  type TemplateCallArguments,
  CallableTemplateValue,
  TemplateDictValue,
  ValueWithComputedMembers,
  type TemplateValue,
} from '../values/template-value.js';
import { BoundTemplateArguments } from './bound-arguments.js';

/** Returns the functions that every template can call, such as `range`, by name. */
export function createTemplateGlobalVariables(budget: TemplateResourceCounter): ReadonlyMap<string, TemplateValue> {
  const callable = (name: string, call: (args: TemplateCallArguments) => TemplateValue): [string, TemplateValue] => [
    name,
    new CallableTemplateValue(name, call),
  ];
  return new Map<string, TemplateValue>([
    callable('range', (args) => createTemplateRange(args, budget)),
    callable('dict', ({ positional, named }) => createTemplateDict(positional, named)),
    callable('namespace', ({ positional, named }) =>
      createTemplateNamespace(createTemplateDict(positional, named), budget),
    ),
    callable('cycler', ({ positional }) => createTemplateCycler(positional, budget)),
    callable('joiner', (args) =>
      createTemplateJoiner(new BoundTemplateArguments('joiner', ['sep'], args, budget), budget),
    ),
  ]);
}

// Maximum length of a range, as in Jinja's sandbox.
const maxTemplateRangeLength = 100_000;

function createTemplateRange(
  { positional, named }: TemplateCallArguments,
  budget: TemplateResourceCounter,
): TemplateValue {
  const names = positional.length === 1 ? ['stop'] : ['start', 'stop', 'step'];
  const given = new BoundTemplateArguments('range', names, { positional, named }, budget);
  const [start, stop, step] = [
    given.getIntegerArgument('start', 0),
    given.getIntegerArgument('stop', 0),
    given.getIntegerArgument('step', 1),
  ];
  if (step === 0) throw new TemplateRuntimeError('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > maxTemplateRangeLength) {
    throw new TemplateLimitError(
      'steps',
      `Range too big. The sandbox blocks ranges larger than ${maxTemplateRangeLength}.`,
    );
  }
  budget.countAllocatedMemory(length);
  return Array.from({ length }, (_, index) => start + index * step);
}

function createTemplateDict(
  positional: readonly TemplateValue[],
  named: ReadonlyMap<string, TemplateValue>,
): TemplateDictValue {
  const [first = null] = positional;
  if (positional.length > 1 || (first !== null && !(first instanceof TemplateDictValue))) {
    throw new TemplateRuntimeError('dict takes a dictionary and named values');
  }
  return new TemplateDictValue([
    ...(first?.entries ?? []),
    ...[...named].map(([key, value]) => [toTemplateDictKey(key), value] as const),
  ]);
}

function createTemplateNamespace(members: TemplateDictValue, budget: TemplateResourceCounter): TemplateValue {
  return new ValueWithComputedMembers(
    'namespace',
    (name) => members.entries.get(name),
    (name, value) => budget.undoLog.recordChange(members.putEntry(name, value)),
  );
}

function createTemplateCycler(items: readonly TemplateValue[], budget: TemplateResourceCounter): TemplateValue {
  if (items.length === 0) throw new TemplateRuntimeError('at least one item has to be provided');
  let position = 0;
  const current = (): TemplateValue => items[position] ?? null;
  const members = new Map<string, () => TemplateValue>([
    ['current', current],
    ['next', () => new CallableTemplateValue('next', () => advance())],
    ['reset', () => new CallableTemplateValue('reset', () => moveTo(0))],
  ]);
  return new ValueWithComputedMembers('cycler', (name) => members.get(name)?.());

  function advance(): TemplateValue {
    const value = current();
    moveTo((position + 1) % items.length);
    return value;
  }

  function moveTo(next: number): number {
    const before = position;
    budget.undoLog.recordChange(() => void (position = before));
    return (position = next);
  }
}

function createTemplateJoiner(given: BoundTemplateArguments, budget: TemplateResourceCounter): TemplateValue {
  const separator = given.getTextArgument('sep', ', ');
  let used = false;
  return new CallableTemplateValue('joiner', () => {
    const text = used ? separator : '';
    if (!used) budget.undoLog.recordChange(() => void (used = false));
    used = true;
    return text;
  });
}
