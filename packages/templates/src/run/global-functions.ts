import type { TemplateBudget } from '../template-budget.js';
import { TemplateLimitError, TemplateRuntimeError } from '../template-errors.js';
import { toDictKey } from '../values/compare-values.js';
import {
  type CallArguments,
  CallableValue,
  DictValue,
  ComputedMembers,
  type TemplateValue,
} from '../values/template-value.js';
import { BoundArguments } from './bound-arguments.js';

/** Returns the functions that every template can call, such as `range`, by name. */
export function createGlobalVariables(budget: TemplateBudget): ReadonlyMap<string, TemplateValue> {
  const callable = (name: string, call: (args: CallArguments) => TemplateValue): [string, TemplateValue] => [
    name,
    new CallableValue(name, call),
  ];
  return new Map<string, TemplateValue>([
    callable('range', (args) => createRange(args, budget)),
    callable('dict', ({ positional, named }) => createDict(positional, named)),
    callable('namespace', ({ positional, named }) => createNamespace(createDict(positional, named), budget)),
    callable('cycler', ({ positional }) => createCycler(positional, budget)),
    callable('joiner', (args) => createJoiner(new BoundArguments('joiner', ['sep'], args, budget), budget)),
  ]);
}

// Maximum length of a range, as in Jinja's sandbox.
const maxRangeLength = 100_000;

function createRange({ positional, named }: CallArguments, budget: TemplateBudget): TemplateValue {
  const names = positional.length === 1 ? ['stop'] : ['start', 'stop', 'step'];
  const given = new BoundArguments('range', names, { positional, named }, budget);
  const [start, stop, step] = [
    given.integerArgument('start', 0),
    given.integerArgument('stop', 0),
    given.integerArgument('step', 1),
  ];
  if (step === 0) throw new TemplateRuntimeError('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > maxRangeLength) {
    throw new TemplateLimitError('steps', `Range too big. The sandbox blocks ranges larger than ${maxRangeLength}.`);
  }
  budget.allocate(length);
  return Array.from({ length }, (_, index) => start + index * step);
}

function createDict(positional: readonly TemplateValue[], named: ReadonlyMap<string, TemplateValue>): DictValue {
  const [first = null] = positional;
  if (positional.length > 1 || (first !== null && !(first instanceof DictValue))) {
    throw new TemplateRuntimeError('dict takes a dictionary and named values');
  }
  return new DictValue([
    ...(first?.entries ?? []),
    ...[...named].map(([key, value]) => [toDictKey(key), value] as const),
  ]);
}

function createNamespace(members: DictValue, budget: TemplateBudget): TemplateValue {
  return new ComputedMembers(
    'namespace',
    (name) => members.entries.get(name),
    (name, value) => budget.undoLog.recordChange(members.set(name, value)),
  );
}

function createCycler(items: readonly TemplateValue[], budget: TemplateBudget): TemplateValue {
  if (items.length === 0) throw new TemplateRuntimeError('at least one item has to be provided');
  let position = 0;
  const current = (): TemplateValue => items[position] ?? null;
  const members = new Map<string, () => TemplateValue>([
    ['current', current],
    ['next', () => new CallableValue('next', () => advance())],
    ['reset', () => new CallableValue('reset', () => moveTo(0))],
  ]);
  return new ComputedMembers('cycler', (name) => members.get(name)?.());

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

function createJoiner(given: BoundArguments, budget: TemplateBudget): TemplateValue {
  const separator = given.textArgument('sep', ', ');
  let used = false;
  return new CallableValue('joiner', () => {
    const text = used ? separator : '';
    if (!used) budget.undoLog.recordChange(() => void (used = false));
    used = true;
    return text;
  });
}
