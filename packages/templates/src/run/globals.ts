import type { Budget } from '../budget.js';
import { TemplateLimitError, TemplateRuntimeError } from '../errors.js';
import { keyOf } from '../values/compare.js';
import { type Arguments, Callable, Dict, Members, type Value } from '../values/value.js';
import { BoundArguments } from './bound-arguments.js';

/** Returns the functions that every template can call, such as `range`, by name. */
export function globalsOf(budget: Budget): ReadonlyMap<string, Value> {
  const callable = (name: string, call: (args: Arguments) => Value): [string, Value] => [
    name,
    new Callable(name, call),
  ];
  return new Map<string, Value>([
    callable('range', (args) => range(args, budget)),
    callable('dict', ({ positional, named }) => dict(positional, named)),
    callable('namespace', ({ positional, named }) => namespace(dict(positional, named), budget)),
    callable('cycler', ({ positional }) => cycler(positional, budget)),
    callable('joiner', (args) => joiner(new BoundArguments('joiner', ['sep'], args, budget), budget)),
  ]);
}

// Maximum length of a range, as in Jinja's sandbox.
const longestRange = 100_000;

function range({ positional, named }: Arguments, budget: Budget): Value {
  const names = positional.length === 1 ? ['stop'] : ['start', 'stop', 'step'];
  const given = new BoundArguments('range', names, { positional, named }, budget);
  const [start, stop, step] = [given.integer('start', 0), given.integer('stop', 0), given.integer('step', 1)];
  if (step === 0) throw new TemplateRuntimeError('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > longestRange) {
    throw new TemplateLimitError('steps', `Range too big. The sandbox blocks ranges larger than ${longestRange}.`);
  }
  budget.allocate(length);
  return Array.from({ length }, (_, index) => start + index * step);
}

function dict(positional: readonly Value[], named: ReadonlyMap<string, Value>): Dict {
  const [first = null] = positional;
  if (positional.length > 1 || (first !== null && !(first instanceof Dict))) {
    throw new TemplateRuntimeError('dict takes a dictionary and named values');
  }
  return new Dict([...(first?.entries ?? []), ...[...named].map(([key, value]) => [keyOf(key), value] as const)]);
}

function namespace(members: Dict, budget: Budget): Value {
  return new Members(
    'namespace',
    (name) => members.entries.get(name),
    (name, value) => budget.changes.add(members.set(name, value)),
  );
}

function cycler(items: readonly Value[], budget: Budget): Value {
  if (items.length === 0) throw new TemplateRuntimeError('at least one item has to be provided');
  let position = 0;
  const current = (): Value => items[position] ?? null;
  const members = new Map<string, () => Value>([
    ['current', current],
    ['next', () => new Callable('next', () => advance())],
    ['reset', () => new Callable('reset', () => moveTo(0))],
  ]);
  return new Members('cycler', (name) => members.get(name)?.());

  function advance(): Value {
    const value = current();
    moveTo((position + 1) % items.length);
    return value;
  }

  function moveTo(next: number): number {
    const before = position;
    budget.changes.add(() => void (position = before));
    return (position = next);
  }
}

function joiner(given: BoundArguments, budget: Budget): Value {
  const separator = given.text('sep', ', ');
  let used = false;
  return new Callable('joiner', () => {
    const text = used ? separator : '';
    if (!used) budget.changes.add(() => void (used = false));
    used = true;
    return text;
  });
}
