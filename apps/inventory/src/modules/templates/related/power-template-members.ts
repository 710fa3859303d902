import { FloatValue, PendingLoad, type RelatedList, TemplateMethod } from '@switchboard/templates';
import type { RelatedObjectBatch, ObjectVisitCounter } from './related-object-batch.js';
import type { PowerDrawCalculator } from './compute-power-draws.js';

/** Names of fields for which templates see an empty list instead of the value null. */
const emptyListMembers = new Set(['connected_endpoints', 'link_peers']);

/**
 * Returns the value of a field in the form for templates. For the fields in {@link emptyListMembers}, an empty list
 * replaces null.
 */
export function replaceNullWithEmptyList(name: string, value: unknown): unknown {
  return value === null && emptyListMembers.has(name) ? [] : value;
}

/**
 * A member that a template reads from an object. Contains the id of the object, the name of the member, and the batch
 * of objects to which the object belongs.
 */
interface PowerTemplateMember {
  readonly id: number;
  readonly name: string;
  readonly batch: RelatedObjectBatch;
  readonly looks: ObjectVisitCounter;
}

/** Power ports that the outlets of one power port supply with power. */
export interface SuppliedPowerPorts {
  /** Objects that are loaded together with the supplying power port. */
  readonly batch: RelatedObjectBatch;
  readonly ids: readonly number[];
  /** Returns the ids of the power ports that any power port in the batch supplies. */
  readonly all: () => Promise<readonly number[]>;
}

/**
 * Finds a member of power ports, power feeds and racks that the reference server computes from the cables of power
 * ports. Returns undefined for other names.
 *
 * @param listOf creates the list of the power ports that a power port supplies
 */
export function findPowerTemplateMember(
  draws: PowerDrawCalculator,
  { id, name, batch, looks }: PowerTemplateMember,
  listOf: (ports: SuppliedPowerPorts) => RelatedList,
): unknown {
  const others = (): Promise<readonly number[]> => batch.listIdsIncluding(id, looks);
  switch (`${batch.model.type} ${name}`) {
    case 'dcim.powerport get_power_draw':
      return new TemplateMethod(name, () => draws.getPowerDraw(id, others));
    case 'dcim.powerport get_downstream_powerports':
      return new TemplateMethod(name, ({ positional: [first = null], named }) => {
        const leg = named.get('leg') ?? first;
        const ids = draws.getSuppliedPorts(id, typeof leg === 'string' ? leg : null, others);
        const all = async (): Promise<readonly number[]> =>
          (await others()).flatMap((each) => draws.getLoadedSuppliedPorts(each));
        return ids instanceof PendingLoad ? ids : listOf({ batch, ids, all });
      });
    case 'dcim.powerfeed available_power':
      return draws.getAvailablePower(id, others);
    case 'dcim.rack get_power_utilization':
      return new TemplateMethod(name, () => {
        const found = draws.getRackPowerUtilization(id, others);
        return typeof found === 'number' ? new FloatValue(found) : (found ?? 0);
      });
    default:
      return undefined;
  }
}
